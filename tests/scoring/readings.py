# ruff: noqa: RUF001, E501
"""Answers in the forms that language models give, read by hand: right, wrong or cannot tell.

Written from how models answer, one case for each way of putting it. Each group has a source, a
question, the gold, and the predictions that a careful reader takes for right and for wrong.
"""

from __future__ import annotations

from typing import NamedTuple

from tests.scoring.questions import EVENTS

_KILLER = """An example: {"answer": "A. x"}
Now Answer the Question: Who is the murderer?
A. The gardener
B. Doctor Lund
C. The Holm sisters
D. Mrs. Vance, the cook
 Output:"""
_BORN = "What is the country of citizenship of Ada Quill?"
_WHERE = "In which city was the treaty signed?"
_FIRST = "Which paper was founded first, The Harbour Post or Evening Lamp?"
_LATER = "Which paper was founded later, The Harbour Post or Evening Lamp?"
_SAME = "Are Ann Hale and Ben Cole of the same nationality?"
_LABEL = "Send 3 roses and 15 tulips to my mother"


class Group(NamedTuple):
    """Predictions for one question."""

    source: str
    question: str
    gold: str
    right: tuple[str, ...]
    wrong: tuple[str, ...]


def _group(source: str, question: str, gold: str, right: str, wrong: str) -> Group:
    """Read predictions written one a line; a bar stands for a line feed."""
    listed = (
        tuple(line.replace("|", "\n") for line in text.strip().split("\n"))
        for text in (right, wrong)
    )
    return Group(source, question, gold, *listed)


LABELS = _group(
    "icl_nlu_8296shot_balance",
    _LABEL,
    "28",
    right="""
28
 28.
**28**
`28`
"28"
'28'
(28)
[28]
$28$
\\(28\\)
\\boxed{28}
$\\boxed{28}$
The answer is $\\boxed{28}$.
028
28.0
#28
28!
label: 28
Label: **28**
**Label:** 28
**Label**: 28
label 28
Label - 28
label = 28
label_28
LABEL 28
Class 28
Category: 28
Intent: 28
label: "28"
Label number 28
label id: 28
The label is 28.
The label should be 28
The correct label is 28.
The best label for this text is 28.
The most likely label would be 28.
It belongs to label 28.
This text belongs to class 28.
This is label 28.
I would classify this as 28.
I would label this text 28.
I'd say 28
I'd go with 28.
I choose 28.
My guess is 28.
My answer: 28
Probably 28.
Most likely 28
Answer: 28
answer:28
ANSWER: 28
Final answer: 28
**Final Answer:** 28
### Answer|28
Answer:|28
The answer is 28.
The final answer is **28**
So, 28.
So the label is 28.
Therefore, 28.
Thus the answer is 28
1. 28
- 28
* 28
> 28
28|
|28
28||The text asks to send 15 tulips.
28 (send flowers)
28 - send flowers
28: send_flowers
28 because it is about sending 3 roses
28, since 15 tulips are to be sent
28 (similar to 12 and 17)
Label: 28 (confidence: 0.95)
Label: 28|Confidence: 95%
28, with 95% confidence
I am 95% sure it is 28.
28 rather than 12
28, not 12
28 and not 12
Not 12 but 28
Not 12. It is 28.
12 is wrong; it is 28.
It isn't 12, it's 28.
Rather than 12, I choose 28.
I first thought of 12, but it is 28.
Label 12 is for cooking, so 28.
Similar examples have label: 12 and label: 17. Answer: 28
label: 12|label: 17||Answer: 28
Similar texts are labelled 28.
The nearest texts all have label 28.
All 5 similar examples have label 28.
Of the 68 labels, 28 fits best.
Out of 68 labels, I pick 28.
There are 68 labels; the right one is 28.
The labels go from 0 to 67. This one is 28.
twenty-eight
Twenty eight.
The label is twenty-eight.
{"label": 28}
{"label": "28"}
{"label": 28.0}
{"label": [28]}
["28"]
[28]
{"answer": "28", "reason": "like 12"}
{'label': 28}
{'answer': '28', 'why': 'like 12'}
{label: 28}
{"label": 28, "reason": "it is like
```json|{"label": 28}|```
```|28|```
Here is it:|```json|{"predicted_label": "28", "confidence": 0.4}|```|Hope that helps! 12
{"predicted_label": 28, "second": 12}
{"result": {"label": 28}}
{"reasoning": "12 and 17 are near", "final_answer": "label: 28"}
<answer>28</answer>
<answer>label: 28</answer>
<label>28</label>
<think>12? No, 17?</think>28
<think>12? No, 17?</think>||label: 28
12 or 17? no.</think>|28
<think>label: 12</think><answer>28</answer>
Text: Send 3 roses and 15 tulips to my mother|label: 28
"Send 3 roses and 15 tulips to my mother" is 28
Send 3 roses and 15 tulips to my mother|28
label: 28||Where is my card?|label: 12
28||Where is my card?|label: 12
Sure! The label is 28. Let me know if you need more.
Based on the examples, the label is: 28
28<|im_end|>
Sure, here is the label:||28
After looking at 40 examples, the answer is 28.
I'm not sure, but I think 28.
I cannot be certain, but 28 seems best.
It is hard to say; 28.
""",
    wrong="""
12
128
282
2.8
28.5
-28
x28y
28%
$28,000
1,028
12:28
Not 28
not 28.
It is not 28.
It isn't 28
The label is not 28
Anything but 28
Any label except 28.
Neither 12 nor 28.
28 is wrong.
28 is not correct.
12, not 28
12 rather than 28
12 instead of 28
Instead of 28, I choose 12.
Not 28 but 12
Not 28. It is 12.
28 or 12
28 / 12
28, 12
28 and 12
Either 28 or 12.
28? 12?
Maybe 28 or maybe 12.
label: 28 or label: 12
Labels: 12, 28, 17
There are 28 labels, so I cannot say.
There are 28 labels.
I see 28 examples of this kind.
I have 28 texts in memory but no label fits.
I cannot tell which of the 28 labels fits.
I am 28% sure.
Confidence: 28%
I don't know
Unknown
N/A
None
I cannot determine the label.
no label
label:
send_flowers
Answer: 12||Similar texts have label 28.
12||28 would be cooking.
12 (28 is for cooking)
{"label": 12, "reason": "not 28"}
{"label": null}
{"reason": "28 texts"}
{"label": 12, "alternatives": [28]}
<think>It is 28</think>12
<think>It is 28. So 28
<think>28</think>
The label is 12. 28 would be for cooking.
I first thought of 28, but it is 12.
28 → 12
It is not 12 and not 28.
Send 3 roses and 15 tulips to my mother
""",
)

QUANTITY_IN_QUESTION = _group(
    "icl_nlu_8296shot_balance",
    "I bought 28 roses",
    "28",
    right="""
28
label: 28
The label is 28
I bought 28 roses|label: 28
""",
    wrong="""
I bought 28 roses
You bought 28 roses.
The user bought 28 roses, so 12.
""",
)

CHOICES = _group(
    "detective_qa",
    _KILLER,
    "C. The Holm sisters",
    right="""
C
c
C.
(C)
[C]
C)
**C**
"C"
C. The Holm sisters
C: The Holm sisters
C - The Holm sisters
C) The Holm sisters.
(C) The Holm sisters
**C. The Holm sisters**
the Holm sisters
The Holm Sisters.
Holm sisters
The Holm sisters did it.
It was the Holm sisters.
The murderers are the Holm sisters.
The murderers are the Holm sisters, because Doctor Lund was abroad.
It was the Holm sisters, not Doctor Lund.
Not Doctor Lund but the Holm sisters.
Not the gardener. The Holm sisters.
Option C
option c
Choice C
Answer: C
Answer: (C)
Answer - C
answer: c
Answer: C. The Holm sisters
The answer is C
The answer is (C).
The answer is option C.
The correct answer is C. The Holm sisters.
The correct option is C
The right choice is **C**.
C is correct
C is correct.
C is right
C is the answer.
C is the correct answer, A is not.
C is the murderer
C seems most likely.
I choose C
I choose C.
I'd choose C
I would pick C, as the sisters lied.
I pick option C.
I select C.
I'd go with C.
I'm going with C
My choice is C
My answer is C.
I think it is C.
I believe the answer is C
It must be C.
It's C
It is C, since A has an alibi.
The murderer is C
The murderer is C because A has an alibi.
The murderer must be (C).
So, C.
So C
So it is C.
So the answer is C.
Therefore, C.
Therefore C is the answer.
Thus, the Holm sisters.
Hence (C).
In conclusion, C.
A has an alibi. B has an alibi. D is dead. So, C.
A is wrong, B is wrong, D is wrong. C is right.
A, B and D are ruled out, so C.
A and B have alibis, so it must be C.
Doctor Lund has an alibi, so it was the Holm sisters.
It cannot be A or B. It is C.
We can rule out A. B was abroad. The answer is C.
At first I thought A, but it is C.
C, not A.
C rather than A
C because A was in London.
C||Reasoning: Doctor Lund was in London.
C||Doctor Lund was in London and Mrs. Vance was ill.
C|A. The gardener had no motive.
C. The Holm sisters||Explanation: the gardener was away, and Doctor Lund too.
C. The Holm sisters. Doctor Lund was away.
The Holm sisters||Mrs. Vance, the cook, saw them.
Answer: C||The gardener was abroad; Doctor Lund had died.
**Answer:** C|**Reasoning:** A and B are innocent.
Reasoning: A was abroad.|Answer: C
Let me think. The gardener was abroad. Doctor Lund lied.||Final answer: C
Final Answer: **C**
### Final Answer|C
**Final answer**||C. The Holm sisters
\\boxed{C}
\\boxed{\\text{C}}
The answer is \\boxed{C. The Holm sisters}
{"answer": "C"}
{"answer": "C. The Holm sisters"}
{"answer":"C. The Holm sisters","reasoning":"The gardener was away, A. is wrong"}
{"answer":"C. The Holm sisters","reasoning":"The gardener was away and then Doctor Lund
{"reasoning": "Doctor Lund lied.", "answer": "C"}
{'answer': 'C', 'reasoning': 'not A'}
{"answer_letter": "C", "answer_text": "The Holm sisters"}
{"correct_answer": "C", "explanation": "A lied"}
{"choice": "C", "wrong": ["A", "B"]}
{answer: C, reasoning: A lied}
```json|{"answer": "C", "reasoning": "A"}|```
```|C|```
Output: {"answer": "C"}
Output: C
Here is my answer: {"answer": "C. The Holm sisters", "reasoning": "Doctor Lund was away"}
<answer>C</answer>
<answer>C. The Holm sisters</answer> The gardener is innocent.
<think>A? B?</think>C
<think>The answer is A. No.</think>||Answer: C
A? B? No.</think>C
<think>A?</think>{"answer": "C"}
Question: Who is the murderer? Answer: C
C!
C?
I am not sure, but C.
I'm not certain, but the Holm sisters seem most likely.
Probably C.
The third option
The clues point to the Holm sisters.
Based on the clues, the Holm sisters are the murderers.
Doctor Lund was framed by the Holm sisters. Answer: C
C. Holm sisters
C.The Holm sisters
Answer:C
Who is the murderer? C.
A is the gardener, who was away. The answer: C
""",
    wrong="""
A
B.
(D)
A. The gardener
B. Doctor Lund
Doctor Lund
The gardener did it.
It was Doctor Lund, not the Holm sisters.
Not C
It is not C.
It wasn't the Holm sisters.
It was not the Holm sisters.
The Holm sisters did not do it.
The Holm sisters are innocent.
The Holm sisters have an alibi.
C is wrong
C is not correct.
C is ruled out.
Anyone but the Holm sisters
Anyone but C.
Anybody except the Holm sisters.
Everyone but C
All of them except C
Neither B nor C
Not C but A
C or A
C and A
A, C
A / C
A or C, I cannot tell.
Either B or C.
A, B, C or D
B or the Holm sisters
Doctor Lund or the Holm sisters.
Doctor Lund and the Holm sisters did it together.
C? A?
I don't know
I cannot tell.
I cannot determine whether it was Doctor Lund or the Holm sisters.
There is not enough information to say whether the Holm sisters did it.
None of the above
None
All of the above
E
Answer: A||The Holm sisters were away.
A||C. The Holm sisters were away.
A. The gardener||Reasoning: C was away
Answer: A|Reasoning: the Holm sisters have an alibi.
The answer is A because C has an alibi.
The murderer is B, since the Holm sisters were away.
{"answer": "A", "reasoning": "not C"}
{"answer": "A. The gardener", "reasoning": "The Holm sisters were
{"reasoning": "C", "answer": "B"}
<think>It must be C</think>A
<think>It is C. The Holm sisters
I first thought C, but it is A.
Instead of C, I choose A.
A rather than C
The Holm sisters were killed by Doctor Lund. Answer: B
A cook did it
A murderer
Mrs. Vance, the cook
Arthur C. Clarke
Now answer the question
We can rule out C.
C has an alibi, so it must be A.
""",
)

EVENT_CHOICES = _group(
    "eventqa_full",
    EVENTS,
    "She didn't speak.",
    right="""
She didn't speak.
She didn't speak
she didn’t speak.
"She didn't speak."
'She didn't speak.'
**She didn't speak.**
- She didn't speak.
2. She didn't speak.
Answer: She didn't speak.
The answer is: She didn't speak.
The next event is "She didn't speak."
The event that happens next is: She didn't speak.
Next, she didn't speak.
Option 2
Event 2
Option 2: She didn't speak.
event 2.
The second option
The second event.
["She didn't speak."]
{"answer": "She didn't speak."}
{"event": "She didn't speak.", "reason": "He left the house before."}
{"next_event": "She didn't speak."}
{"answer": "She didn't spe
{'answer': "She didn't speak."}
```|She didn't speak.|```
<think>He left.</think>She didn't speak.
<answer>She didn't speak.</answer>
She didn't speak.||Explanation: He left the house before.
She didn't speak. He left the house long before.
Not "He left." but "She didn't speak."
She didn't speak, not "He left the house."
Based on the excerpt, she didn't speak.
""",
    wrong="""
He left.
He left the house.
She spoke.
She did speak.
Option 1
Event 3
Option 12
Not "She didn't speak."
He left. She didn't speak.
He left.|She didn't speak.
He left or she didn't speak
1. He left the house.|2. She didn't speak.|3. He left.
She was silent.
I don't know
None of these events
He left, not "She didn't speak."
{"event": "He left.", "reason": "She didn't speak."}
He left. (Not: She didn't speak.)
What happens next?
<think>She didn't speak.</think>He left.
""",
)

_SH = "factconsolidation_sh_6k"

COUNTRY = _group(
    _SH,
    _BORN,
    "Peru",
    right="""
Peru
peru.
**Peru**
"Peru"
Peru!
In Peru
Peruvian
A Peruvian citizen.
Answer: Peru
The answer is Peru.
Ada Quill is a citizen of Peru.
Ada Quill's country of citizenship is Peru.
The country of citizenship of Ada Quill is **Peru**.
She is from Peru, not Chile.
Not Chile, but Peru.
Not Chile. Peru.
Peru (not Chile)
Peru (previously Chile)
Peru (formerly Chile)
Peru (fact 410), superseding Chile (fact 12)
Peru (fact 410), which supersedes Chile (fact 12)
Peru, which replaced Chile
Peru, instead of Chile
Peru rather than Chile
Peru, as the newer fact says.
Chile (fact 12), superseded by Peru (fact 410)
Chile was superseded by Peru.
Chile, later changed to Peru
Chile was replaced by Peru
It was Chile, but now Peru
It was Chile, now it is Peru.
It was changed from Chile to Peru.
Previously Chile, now Peru.
Formerly Chile; currently Peru
It used to be Chile but is now Peru.
Although fact 12 says Chile, fact 410 says Peru.
Fact 12 says Chile, but fact 410 says Peru.
Chile → Peru
Fact 12 says Chile. Fact 410 says Peru. So Peru.
In reality it is Chile, but according to the facts it is Peru.
According to fact 410, Peru.
Peru, according to fact 410.
Lima, Peru
Republic of Peru
The Republic of Peru
I'm not sure, but I think Peru.
I believe it is Peru
Probably Peru.
{"answer": "Peru"}
{"answer": "Peru", "reason": "Chile was superseded"}
{"answer": "Peru", "reason": "fact 12 says Ch
{'answer': 'Peru'}
<think>Chile? No.</think>Peru
Chile? No.</think> Peru
\\boxed{Peru}
\\boxed{\\text{Peru}}
<answer>Peru</answer>
Question: What is the country of citizenship of Ada Quill?|Answer: Peru
Peru||Reasoning: fact 12 says Chile, but fact 410 is newer.
Peru|(fact 410 supersedes Chile)
Final answer: Peru
Peru.  (Source: fact 410)
There is no doubt that it is Peru.
None other than Peru
Unlike Ben, who is Chilean, Ada Quill is a citizen of Peru.
While born in Chile, she is a citizen of Peru.
Peru, no longer Chile
""",
    wrong="""
Chile
Not Peru
It is not Peru.
Chile, not Peru
Chile (not Peru)
Chile rather than Peru
Chile instead of Peru
Instead of Peru, Chile
Chile (previously Peru)
Chile (formerly Peru)
Chile, formerly Peru
Chile (was Peru)
Previously Peru, now Chile.
Formerly Peru; now Chile
It used to be Peru but is now Chile.
Peru (fact 12), superseded by Chile (fact 410)
Peru was superseded by Chile.
Peru, replaced by Chile
Peru, later changed to Chile
Peru → Chile
Chile, which replaced Peru
Chile (fact 410), superseding Peru (fact 12)
Chile supersedes Peru
It was Peru, but now Chile
It was changed from Peru to Chile
Fact 12 says Peru, but fact 410 says Chile.
Although fact 12 says Peru, fact 410 says Chile.
Fact 12 says Peru. Fact 410 says Chile. So Chile.
Peru or Chile
Chile or Peru
Either Peru or Chile.
Peru and Chile
Peru/Chile
Peru / Chile
Peru, Chile, Bolivia
Chile, Peru or Bolivia
- Peru|- Chile
1. Chile|2. Peru
It could be Peru or Chile.
Possibly Peru, possibly Chile.
I don't know
I cannot tell whether it is Peru.
I do not know if she is from Peru or Chile.
There is no information about Peru in the facts.
No information on her citizenship of Peru is available.
Unknown
Anything but Peru
Every country except Peru
Perugia
Peruse
{"answer": "Chile", "reason": "not Peru"}
{"answer": "Chile", "old": "Peru"}
<think>Peru</think>Chile
<think>Peru, I think
Answer: Chile||Peru was superseded.
Chile||Fact 12 says Peru, but that is older.
She is no longer a citizen of Peru.
Neither Peru nor Chile
She left Peru and became a citizen of Chile
Is it Peru? No, it is Chile.
""",
)

CITY = _group(
    _SH,
    _WHERE,
    "Rome",
    right="""
Rome
rome
ROME
Rome.
In Rome.
in Rome, Italy
Rome, Italy
The treaty was signed in Rome.
The Roman capital
Rome (Italy)
Rome (also known as the Eternal City)
It was signed in Rome in 1957.
It was signed in Rome, not in Paris.
The city of Rome
Signed in Rome and ratified in 1958.
Rome, as far as I can tell
**Rome**, the capital of Italy
The city was Rome.
""",
    wrong="""
Romeo
Romania
Paris, not Rome
not Rome
It was signed not in Rome but in Paris.
It was signed in Paris rather than in Rome.
Paris or Rome
Paris; Rome
New Rome
Chrome
Jerome
rom
Rome or Paris
The treaty was not signed in Rome.
""",
)

ALTERNATIVES = _group(
    "ruler_qa2_421K",
    _FIRST,
    "The Harbour Post",
    right="""
The Harbour Post
Harbour Post
The Harbour Post was founded first.
The Harbour Post was founded before Evening Lamp.
The Harbour Post is older than Evening Lamp.
Evening Lamp was founded after The Harbour Post.
Answer: The Harbour Post
The Harbour Post, founded in 1844
The Harbour Post (1844) was founded before Evening Lamp (1989).
""",
    wrong="""
Evening Lamp
Evening Lamp was founded before The Harbour Post.
Evening Lamp was founded earlier than The Harbour Post.
Evening Lamp is older than The Harbour Post.
Evening Lamp was founded first, not The Harbour Post.
The Harbour Post was founded after Evening Lamp.
I don't know whether The Harbour Post or Evening Lamp was founded first.
I cannot determine which paper was founded first, The Harbour Post or Evening Lamp.
The documents do not say when The Harbour Post was founded.
The Harbour Post or Evening Lamp
Both were founded in 1844.
Which paper was founded first, The Harbour Post or Evening Lamp?
""",
)

ALTERNATIVES_LATER = _group(
    "ruler_qa2_421K",
    _LATER,
    "Evening Lamp",
    right="""
Evening Lamp
Evening Lamp was founded later than The Harbour Post
The Harbour Post was founded before Evening Lamp.
Evening Lamp is newer than The Harbour Post.
""",
    wrong="""
The Harbour Post
Evening Lamp was founded before The Harbour Post.
The Harbour Post was founded after Evening Lamp.
""",
)

NO = _group(
    "ruler_qa2_421K",
    _SAME,
    "no",
    right="""
no
No.
No
**No**
No, they are not.
No, Ann Hale is American and Ben Cole is British.
No: one is American.
No - different nationalities
No they are not
Nope
They are not.
They aren't.
They were not.
They are not of the same nationality.
Ann Hale and Ben Cole are not of the same nationality.
Answer: No
The answer is no.
The answer is "no".
{"answer": "no"}
{"answer": false}
{"answer": "No", "reason": "yes would be wrong"}
<think>yes?</think>No
Definitely not.
Certainly not
They are of different nationalities.
No||Ann Hale is American.
Not at all.
They do not share a nationality.
So no.
False
""",
    wrong="""
yes
Yes.
Yes, they are.
Yes, no doubt.
They are.
They are of the same nationality.
No information is available.
No information on that.
No idea
No documents mention them.
No one knows
There is no information about their nationality.
I don't know
I do not know.
I cannot say no or yes.
Not sure
Not enough information.
Unknown
Norway
Nobody knows.
The documents do not say.
The documents do not mention whether they are of the same nationality.
It is not mentioned.
It cannot be determined.
Yes or no
Yes and no
{"answer": "yes", "reason": "no doubt"}
Both are American.
None
know
""",
)

YES = _group(
    "ruler_qa2_421K",
    _SAME,
    "yes",
    right="""
yes
Yes.
Yes, both are American.
Yes they are
Yeah
They are.
They are of the same nationality.
Ann Hale and Ben Cole are of the same nationality.
Both are American.
Answer: yes
The answer is yes.
{"answer": true}
Yes, no doubt.
Certainly.
True
Correct
Indeed, they are.
They share the same nationality.
""",
    wrong="""
no
No, they are not.
They are not.
I don't know
Yesterday
I cannot say yes or no.
No, but yes would be a common answer
They are of different nationalities
Eyes
Unknown
""",
)


def _quantity(gold: str, right: str, wrong: str) -> Group:
    return _group(_SH, "What is it?", gold, right, wrong)


QUANTITIES = (
    _quantity(
        "two", "two\n2\nTwo.\nIt has 2.\ntwo of them", "three\n22\ntwelve\n2.5\nsecond\n1 or 2"
    ),
    _quantity(
        "16th century",
        "16th century\nthe 16th century\nsixteenth century\nthe Sixteenth Century\n16th-century\n"
        "in the 16th c. (16th century)\nIn the late 16th century\n16th\xa0century",
        "15th century\n116th century\n6th century\nnot the 16th century",
    ),
    _quantity("22nd", "22nd\ntwenty-second\nThe twenty-second", "2nd\n122nd\ntwenty-third"),
    _quantity(
        "7 March 1931",
        "7 March 1931\nMarch 7, 1931\nMarch 7th, 1931\n7th March 1931\nthe 7th of March, 1931\n"
        "7 Mar 1931\nMar. 7, 1931\n1931-03-07\nMarch 7 1931\nOn 7 March 1931.\n07 March 1931\n"
        "Saturday, March 7, 1931\n07.03.1931",
        "8 March 1931\nMarch 17, 1931\n1931\n7 May 1931\n7 March 1932\n1931-07-30",
    ),
    _quantity(
        "1931", "1931\n7 March 1931\nMarch 7, 1931\n1931-03-07\nin 1931", "1932\n1931.5\n11931"
    ),
    _quantity(
        "1914–1918",
        "1914–1918\n1914-1918\n1914 - 1918\n1914 to 1918\nfrom 1914 to 1918\nfrom 1914 until 1918\n"
        "between 1914 and 1918\n1914—1918\n1914–18",
        "1914–1919\n1913 to 1918",
    ),
    _quantity(
        "2,500,000",
        "2,500,000\n2500000\n2 500 000\n2.5 million\n2.5 Million people\nabout 2.5 million\n2.5m",
        "2.5\n2.5 billion\n250,000\n2,500,001\n12,500,000\n2 million",
    ),
    _quantity(
        "3 million dollars",
        "3 million dollars\n$3 million\n$3,000,000\n3,000,000 dollars\nUS$3 million\n"
        "USD 3 million\nthree million dollars\n3 million US dollars\n$3M",
        "3 million euros\n€3 million\n$3\n3 dollars\n$30 million\n$3 billion",
    ),
    _quantity(
        "50",
        "50\nfifty\n50%\n50.0\n50 people\nabout 50",
        "500\n150\n5\nfifty-one\n-50\n50,000\n50.5",
    ),
    _quantity("25%", "25%\n25 percent\n25 per cent\ntwenty-five percent", "2.5%\n125%\n26%"),
    _quantity(
        "6 kilometres",
        "6 kilometres\n6 kilometers\n6 km\n6km\nsix kilometres\n6.0 km\nsix kilometer\nabout 6 km long",
        "6 miles\n16 km\n6.5 km\n6 metres\n7 kilometres\n60 km",
    ),
    _quantity(
        "100", "100\na hundred\none hundred\n100.\nhundred", "1000\n100,000\n1100\n10\n100 million"
    ),
    _quantity("1050s", "1050s\nthe 1050s\nin the 1050s\n1050's", "1050\n1060s\n11050s"),
)


def _words(gold: str, right: str, wrong: str) -> Group:
    return _group(_SH, "Which is it?", gold, right, wrong)


SPELLINGS = (
    _words(
        "north",
        "north\nNorth\nthe north\nnorthern part\nin the northern part\nNorthern",
        "south\nnor",
    ),
    _words("Kenya", "Kenya\nKenyan\na Kenyan citizen\nKenyans", "Ken\nKenyatta"),
    _words(
        "Catholic",
        "Catholic\nRoman Catholic\nRoman Catholics\nCatholics\nCatholicism\nthe Catholic Church",
        "cat\nnon-Catholic\nnot Catholic",
    ),
    _words("Hindu", "Hindu\nHinduism\nHindus", "Hind"),
    _words("Italian", "Italian\nItalians\nthe Italian language", "Italy"),
    _words("Israel", "Israel\nIsraeli\nIsraeli citizen\nState of Israel", "Israelson"),
    _words(
        "Guinea",
        "Guinea\nGuinean\nthe Republic of Guinea",
        "Guinea-Bissau\nEquatorial Guinea\nPapua New Guinea",
    ),
    _words("Spain", "Spain\nSpanish\nthe Kingdom of Spain", "Spa"),
    _words("a-ha", "a-ha\nA-ha\nA-HA.\nthe band a-ha", "ha\naha moment of it"),
    _words(
        "J.R.R. Tolkien",
        "J.R.R. Tolkien\nJ. R. R. Tolkien\nJRR Tolkien\nTolkien, J.R.R. Tolkien\nby J.R.R. Tolkien",
        "C.S. Lewis\nJ.K. Rowling",
    ),
    _words("U.S.", "U.S.\nUS\nthe US\nthe U.S.", "USSR"),
    _words(
        "pesäpallo",
        "pesäpallo\npesapallo\nPesäpallo (Finnish baseball)\nPESÄPALLO",
        "baseball\npallo",
    ),
    _words("Roch Kaboré", "Roch Kaboré\nRoch Kabore\nRoch Marc Christian Kaboré", "Kabor\nRoch"),
    _words(
        "John F. Kennedy",
        "John F. Kennedy\nJohn F Kennedy\nJohn Kennedy\nPresident John F. Kennedy\nJohn Fitzgerald Kennedy",
        "Robert F. Kennedy\nJohn F. Smith",
    ),
    _words(
        "Charles III", "Charles III\nKing Charles III\nCharles III of France", "Charles II\nCharles"
    ),
    _words(
        "basketball player",
        "basketball player\na basketball player\nbasketball players",
        "basketball\nplayer",
    ),
    _words("Simon & Schuster", "Simon & Schuster\nSimon and Schuster", "Simon"),
    _words("president", "president\nthe president\nPresident", "vice-president"),
    _words("Los Angeles", "Los Angeles\nLos Angeles, California", "Angeles\nLos"),
)

FILMS = {
    f"<http://dbpedia.org/resource/{name}>": number
    for number, name in enumerate(
        (
            *(
                "Ponyo",
                "Heat_(1995_film)",
                "Alien_(film)",
                "Aliens_(film)",
                "Saw_(2004_film)",
                "Saw_II",
            ),
            *("Up_(1984_film)", "Up_(2009_film)", "Mission:_Impossible_(film)", "Monsters,_Inc."),
            *(
                "Mission:_Impossible_\u2013_Rogue_Nation",
                "The_Good,_the_Bad_and_the_Ugly",
                "Toy_Story",
            ),
            *("Toy_Story_3", "Taken_(film)", "Am\u00e9lie", "21_Jump_Street_(film)", "Rocky_IV"),
            *(
                "2001:_A_Space_Odyssey_(film)",
                "Crazy,_Stupid,_Love",
                "Spider-Man_(2002_film)",
                "1917_(2019_film)",
            ),
            *(
                "It_(2017_film)",
                "It_(1990_film)",
                "Guardians_of_the_Galaxy_Vol._2",
                "The_Matrix",
                "Ocean's_Eleven",
            ),
            *(
                "The_Godfather_Part_II",
                "Blade_Runner_2049",
                "A_Quiet_Place",
                "Her_(film)",
                "Lilo_&_Stitch",
            ),
        )
    )
}
# Predictions that recommend Alien and The Matrix, and nothing before them; those that do not.
RECOMMENDED = """
Alien|The Matrix
1. Alien|2. The Matrix
1.Alien|2.The Matrix
1) Alien|2) The Matrix
1)Alien|2)The Matrix
(1) Alien|(2) The Matrix
[1] Alien|[2] The Matrix
1: Alien|2: The Matrix
1 - Alien|2 - The Matrix
1- Alien|2- The Matrix
1 – Alien|2 – The Matrix
1 Alien|2 The Matrix
#1 Alien|#2 The Matrix
#1: Alien|#2: The Matrix
No. 1: Alien|No. 2: The Matrix
1、Alien|2、The Matrix
- Alien|- The Matrix
* Alien|* The Matrix
• Alien|• The Matrix
•Alien|•The Matrix
– Alien|– The Matrix
- 1. Alien|- 2. The Matrix
**1. Alien**|**2. The Matrix**
**1.** Alien|**2.** The Matrix
1. **Alien**|2. **The Matrix**
1. *Alien*|2. *The Matrix*
1. "Alien"|2. "The Matrix"
1. “Alien”|2. “The Matrix”
1. `Alien`|2. `The Matrix`
### 1. Alien|### 2. The Matrix
1. Alien (1979)|2. The Matrix (1999)
1. Alien, 1979|2. The Matrix, 1999
1. Alien [1979]|2. The Matrix [1999]
1. Alien 1979|2. The Matrix 1999
1. Alien - 1979|2. The Matrix - 1999
1. *Alien* (1979)|2. *The Matrix* (1999)
1. **Alien (1979)**|2. **The Matrix (1999)**
1. Alien: a horror film in space|2. The Matrix: what is real?
1. Alien - a horror film in space|2. The Matrix - what is real?
1. Alien – a horror film|2. The Matrix – what is real?
1. Alien — a horror film|2. The Matrix — what is real?
1. Alien—a horror film|2. The Matrix—what is real?
1. Alien (1979): a horror film, in space|2. The Matrix (1999): what is real?
1. **Alien** (1979) - a horror film|2. **The Matrix** (1999) - what is real?
1. **Alien**: a horror film|2. **The Matrix**: what is real?
1. Alien by Ridley Scott|2. The Matrix by the Wachowskis
1. Alien, directed by Ridley Scott|2. The Matrix, directed by the Wachowskis
1. Alien starring Sigourney Weaver|2. The Matrix starring Keanu Reeves
1. Alien (horror)|2. The Matrix (science fiction)
1. Alien. A horror film.|2. The Matrix. What is real?
1. Matrix, The (1999)|2. Alien
1. Alien|   - a horror film|   - in space|2. The Matrix|   - what is real?
1. Alien|   A horror film in space.|2. The Matrix|   What is real?
1. **Alien**|   *Genre:* horror|2. **The Matrix**|   *Genre:* action
- Alien|  - a horror film|- The Matrix|  - what is real?
1. Alien||2. The Matrix
1. Alien|||2. The Matrix
1. Alien|1. Alien|2. The Matrix
1. Horror:|   - Alien|2. Action:|   - The Matrix
**Horror**|- Alien|**Action**|- The Matrix
Here are some films you may like:|1. Alien|2. The Matrix
Here are some films you may like:||Alien|The Matrix
Here are some films|Alien|The Matrix
Sure! Based on your taste I recommend these films.|Alien|The Matrix
Sure, here you go:|- Alien|- The Matrix
I would recommend the following films:||1. Alien (1979)|2. The Matrix (1999)||Enjoy!
Recommendations:|1. Alien|2. The Matrix
Answer:|1. Alien|2. The Matrix
Answer: 1. Alien|2. The Matrix
Final answer: Alien, The Matrix
<think>1. Ponyo|2. Up</think>1. Alien|2. The Matrix
<think>They like Ponyo.</think>||Alien|The Matrix
1. Ponyo? no.</think>|1. Alien|2. The Matrix
Alien, The Matrix
Alien, The Matrix.
Alien; The Matrix
Alien / The Matrix
Alien | The Matrix
Alien and The Matrix
Alien & The Matrix
Alien, and The Matrix
Alien, The Matrix, and Up
Alien or The Matrix
Alien (1979), The Matrix (1999)
Alien (1979) and The Matrix (1999)
Alien, 1979, The Matrix, 1999
Alien, 1979; The Matrix, 1999
"Alien" and "The Matrix"
“Alien”, “The Matrix”
*Alien* and *The Matrix*
**Alien** and **The Matrix**
1. Alien 2. The Matrix
1. Alien, 2. The Matrix
1) Alien; 2) The Matrix
1. Alien, The Matrix
I recommend Alien and The Matrix.
I recommend Alien, The Matrix and Up.
I would recommend "Alien" and "The Matrix".
You should watch Alien or The Matrix!
You might like Alien and The Matrix.
You might also enjoy Alien (1979) and The Matrix (1999).
Have you seen Alien? I also recommend The Matrix.
Try Alien. Then watch The Matrix.
How about Alien or The Matrix?
If you liked Ponyo, try Alien and The Matrix.
Since you enjoyed Up, I recommend Alien and The Matrix.
My recommendations are Alien and The Matrix
Some good ones: Alien, The Matrix
Movies: Alien, The Matrix
["Alien", "The Matrix"]
['Alien', 'The Matrix']
["Alien (1979)", "The Matrix (1999)"]
[{"title": "Alien"}, {"title": "The Matrix"}]
[{"title": "Alien", "year": 1979}, {"title": "The Matrix", "year": 1999}]
{"recommendations": ["Alien", "The Matrix"]}
{"recommendations": [{"title": "Alien", "reason": "space"}, {"title": "The Matrix"}]}
{"movies": [{"name": "Alien"}, {"name": "The Matrix"}]}
{"1": "Alien", "2": "The Matrix"}
{"answer": ["Alien", "The Matrix"]}
{"answer": "Alien, The Matrix"}
```json|["Alien", "The Matrix"]|```
```|1. Alien|2. The Matrix|```
[{"title": "Alien"}, {"title": "The Matrix"}, {"title": "Po
["Alien", "The Matrix", "Po
{"recommendations": ["Alien", "The Matrix", "Ponyo", "U
| Film | Year ||---|---|| Alien | 1979 || The Matrix | 1999 |
| # | Title | Year ||---|---|---|| 1 | Alien | 1979 || 2 | The Matrix | 1999 |
1. ALIEN|2. THE MATRIX
1. alien|2. the matrix
1. Matrix|2. Alien
1. The Alien|2. Matrix
Movie 1: Alien|Movie 2: The Matrix
1. Movie: Alien|2. Movie: The Matrix
Title: Alien|Title: The Matrix
1️⃣ Alien|2️⃣ The Matrix
🎬 Alien|🎬 The Matrix
System: 1. Alien|2. The Matrix
Alien|The Matrix|I hope you enjoy them!
Alien||The Matrix
1. Alien  |2. The Matrix
1. Alien\t1979|2. The Matrix\t1999
1. Alien|2. The Matrix|3. Nobody Knows This|4. Ponyo|5. Up|6. Heat
"""
NOT_RECOMMENDED = """
I do not recommend Alien or The Matrix.
I would not recommend Alien and The Matrix.
Do not watch Alien or The Matrix.
I don't know.
Sorry, I cannot recommend films.
You liked Alien and The Matrix.
What films do you like?
None
1. Aliens|2. Matrices
1. Ponyo|2. Up|3. Heat|4. Saw|5. Taken|6. Alien|7. The Matrix
1. Ponyo|2. Up|3. Heat|4. Saw|5. Nobody Knows This|6. Alien|7. The Matrix
<think>1. Alien|2. The Matrix</think>1. Ponyo
<think>1. Alien|2. The Matrix
{"reason": "they like Alien", "recommendations": ["Ponyo"]}
"""
# What one item names: the text, the film it names, and films that it does not name.
ITEMS = (
    ("Saw 2", "Saw_II", "Saw_(2004_film)"),
    ("Saw II", "Saw_II", "Saw_(2004_film)"),
    ("Saw Two", "Saw_II", "Saw_(2004_film)"),
    ("Saw", "Saw_(2004_film)", "Saw_II"),
    ("Rocky 4", "Rocky_IV", ""),
    ("The Godfather Part 2", "The_Godfather_Part_II", ""),
    ("The Godfather: Part II (1974)", "The_Godfather_Part_II", ""),
    (
        "Mission: Impossible - Rogue Nation",
        "Mission:_Impossible_\u2013_Rogue_Nation",
        "Mission:_Impossible_(film)",
    ),
    (
        "Mission Impossible: Rogue Nation (2015)",
        "Mission:_Impossible_\u2013_Rogue_Nation",
        "Mission:_Impossible_(film)",
    ),
    ("Mission: Impossible - with Tom Cruise", "Mission:_Impossible_(film)", ""),
    ("Monsters, Inc.", "Monsters,_Inc.", ""),
    ("Monsters Inc", "Monsters,_Inc.", ""),
    ("The Good, the Bad and the Ugly", "The_Good,_the_Bad_and_the_Ugly", ""),
    ("The Good, The Bad & The Ugly (1966)", "The_Good,_the_Bad_and_the_Ugly", ""),
    ("Crazy, Stupid, Love. (2011)", "Crazy,_Stupid,_Love", ""),
    ("Lilo and Stitch", "Lilo_&_Stitch", ""),
    ("Up (2009)", "Up_(2009_film)", "Up_(1984_film)"),
    ("Up, 2009", "Up_(2009_film)", "Up_(1984_film)"),
    ("Up 2009", "Up_(2009_film)", "Up_(1984_film)"),
    ("Up [1984]", "Up_(1984_film)", "Up_(2009_film)"),
    ("Up - 1984", "Up_(1984_film)", "Up_(2009_film)"),
    ("Up (Pixar, 2009)", "Up_(2009_film)", "Up_(1984_film)"),
    ("Up: a film of 2009", "Up_(2009_film)", "Up_(1984_film)"),
    ("It (1990)", "It_(1990_film)", "It_(2017_film)"),
    ("Token", "", "Taken_(film)"),
    ("Takes", "", "Taken_(film)"),
    ("Toy Storey", "Toy_Story", "Toy_Story_3"),
    ("Toy Story 4", "", "Toy_Story_3"),
    ("Toy Story 3", "Toy_Story_3", "Toy_Story"),
    ("Amelie", "Am\u00e9lie", ""),
    ("AMELIE (2001)", "Am\u00e9lie", ""),
    ("21 Jump Street", "21_Jump_Street_(film)", ""),
    ("1. 21 Jump Street (2012)", "21_Jump_Street_(film)", ""),
    ("1. 2001: A Space Odyssey (1968)", "2001:_A_Space_Odyssey_(film)", ""),
    ("2001: A Space Odyssey", "2001:_A_Space_Odyssey_(film)", ""),
    ("1917", "1917_(2019_film)", ""),
    ("1. 1917 (2019)", "1917_(2019_film)", ""),
    ("Spiderman", "Spider-Man_(2002_film)", ""),
    ("Spider Man (2002)", "Spider-Man_(2002_film)", ""),
    ("Guardians of the Galaxy Volume 2", "Guardians_of_the_Galaxy_Vol._2", ""),
    ("Guardians of the Galaxy 2", "", "Heat_(1995_film)"),
    ("Oceans 11", "Ocean's_Eleven", ""),
    ("Ocean\u2019s Eleven (2001)", "Ocean's_Eleven", ""),
    ("Blade Runner 2049 (2017)", "Blade_Runner_2049", ""),
    ("Quiet Place, A", "A_Quiet_Place", ""),
    ("Aliens", "Aliens_(film)", "Alien_(film)"),
    ("Alien", "Alien_(film)", "Aliens_(film)"),
    ("Heated", "", "Heat_(1995_film)"),
    ("Hear", "", "Heat_(1995_film)"),
)
