"""The words of stories: things, places, and the wordings of each kind of event.

Slots: actor, thing, other, place.
"""

from __future__ import annotations

from mabench_synthetic.language.wordings import phrases, table

MATERIALS = phrases("""
brass | silver | ivory | painted | cracked | carved | copper | black | pewter | lacquered | gilded |
oaken
""")
# Each object, and what a summary may call it.
OTHER_OBJECTS = {
    name: other
    for name, (other,) in table("""
compass: needle that seeks the north
lantern: light of dark roads
flute: pipe of the dance band
medal: reward of courage
mirror: glass that shows one's face
clock: timepiece with a pendulum
locket: keepsake on a neck chain
bowl: round dish
ring: band worn on a finger
fiddle: instrument with four strings
snuffbox: holder of powdered tobacco
telescope: tube that shows the stars
music box: toy that plays a melody
sundial: plate with a shadow as its hand
inkwell: pot where a pen is dipped
candlestick: stand of a taper
spyglass: tube that shows distant ships
casket: chest of jewels
goblet: cup of wine
barometer: gauge that foretells storms
weathercock: rooster of a rooftop
thimble: cap of a seamstress
chess set: army of kings and pawns
hourglass: vessel of running sand
jug: pitcher with a spout
brooch: pin of a shawl
""").items()
}
OBJECTS = tuple(OTHER_OBJECTS)
# Each place, and what a summary may call it.
OTHER_PLACES = {
    name: other
    for name, (other,) in table("""
the mill: the place where corn is ground
the harbour: the place where ships lie at anchor
the old chapel: the place where people once prayed
the inn: the place where travellers sleep
the smithy: the place where horses are shod
the market hall: the place where traders have their stands
the ferry house: the place where one waits before a crossing
the orchard: the place where apples grow
the stone bridge: the place where the road spans the water
the schoolhouse: the place where children learn to read
the lighthouse: the place whose beam warns sailors
the quarry: the place where rock is cut
the tannery: the place where hides are soaked
the toll gate: the place where carters pay their dues
""").items()
}
PLACES = tuple(OTHER_PLACES)

# The wordings of an event in the story.
NARRATIVES = table("""
resolve: That night {actor} came to a decision. "{other} shall have {thing}," said {actor} to the
    empty room, and meant it. |
    {actor} owed {other} more than money could settle, and made a vow that {thing} would be the
    payment, whatever it took. |
    From that hour {actor} had one thought only, which was to lay {thing} in the hands of {other}. |
    A chance remark set it off. Before the candle was out {actor} had sworn to get {thing} for
    {other}, by fair means or by others. |
    {actor} could not have said why it had to be {thing}, but nothing else would do for {other}, and
    so the search began. |
    "I shall find a way," {actor} wrote on a scrap of paper. It meant that {other} was to have
    {thing}.
arrive: The evening coach set down a stranger by the name of {actor}, whose only luggage of any
    worth was {thing}. |
    A newcomer took the empty room above the saddler's. This was {actor}, and on the sill stood
    {thing} for all to see. |
    Nobody had met {actor} before that day, but within the hour everybody had been shown {thing}.
go: {actor} took the long path round and came to {place} with wet boots. |
    It was not far to {place}, and {actor} was there before the bell had stopped. |
    {actor} left by the back door and did not slow down until {place} was in sight. |
    With a borrowed umbrella {actor} set out, and reached {place} before the coffee was cold. |
    Twice {actor} turned back, and then walked on to {place} all the same.
find: At {place}, under a heap of sacking, {actor} came upon {thing}. {actor} looked round
    twice and put it away. |
    {actor} searched every corner of {place} and in the end drew {thing} out from behind a loose
    board. |
    Nobody else at {place} had noticed {thing}, so {actor} simply carried it off.
hide: {actor} wrapped {thing} in a cloth and pushed it deep into a gap in the wall of {place}. |
    Where would nobody look? {actor} thought of {place}, and there {thing} was left, well out of
    sight. |
    With one eye on the door, {actor} slid {thing} beneath the floor of {place}.
ask: "Let me have {thing}," {actor} begged. {other} would not hear of it. |
    {actor} came straight to the point and asked {other} for {thing}. The answer was no. |
    Three times {actor} brought the talk round to {thing}, and three times {other} shook a stubborn
    head.
buy: Coins were counted out on the table, and {thing} passed from {other} to {actor}, who had paid
    too much and knew it. |
    "Name your price, then," {actor} said. {other} named it, and {thing} was sold on the spot. |
    {other} needed money that week, and so {actor} got {thing} at last, for a full purse.
steal: While {other} was asleep in a chair, {actor} lifted {thing} from its hook and was gone. |
    {other} turned away for no longer than it takes to sneeze. When {other} looked again, {thing}
    was in the coat of {actor}, already halfway down the lane. |
    {actor} had learned where {other} kept {thing}, and that evening took it without a word.
quarrel: The voices of {actor} and {other} could be heard in the street. It was all about {thing},
    and neither gave way. |
    "You will regret it," {actor} shouted at {other}. Over {thing} the two of them had come close to
    blows. |
    It began politely, but before long {actor} had called {other} a miser on account of {thing}, and
    a cup was broken.
give: "This is yours now," said {actor}, and put {thing} into the hands of {other}. |
    {actor} had rehearsed a speech, but in the end only held out {thing}, and {other} took it. |
    Without asking for thanks, {actor} set {thing} down in front of {other}, to keep.
write: {actor} sharpened a pencil and filled two sheets to {other}, almost all of it about
    {thing}. |
    A letter went off to {other} by the evening cart. In it {actor} had set down all that was known
    of {thing}. |
    {actor} spoiled four sheets before the letter to {other} was done. It spoke of {thing} and of
    little else.
tell: "Have you heard about {thing}?" {actor} asked {other}, and told all there was to tell. |
    Leaning close, {actor} let {other} into the history of {thing}, from its maker onwards. |
    To pass the time {actor} told {other} an old tale about {thing}.
mend: {actor} cleaned {thing} with vinegar and put right a small fault in it. |
    For an hour {actor} bent over {thing} with a file and a pot of glue, until it was sound again. |
    There was a flaw in {thing}, and {actor} patiently repaired it.
""")

# The wordings of the same event in a question or a summary.
SUMMARIES = table("""
resolve: {actor} resolved to obtain {thing} for {other}. |
    {actor} decided that {other} should have {thing}.
arrive: {actor} came to town and brought {thing}. | {actor} arrived as a stranger with {thing}.
go: {actor} went to {place}. | {actor} made a trip to {place}.
find: {actor} found {thing} at {place}. | {actor} discovered {thing} at {place}.
hide: {actor} hid {thing} at {place}. | {actor} concealed {thing} at {place}.
ask: {actor} asked {other} for {thing} and was refused. | {actor} was refused {thing} by {other}.
buy: {actor} bought {thing} from {other}. | {actor} paid {other} for {thing}.
steal: {actor} stole {thing} from {other}. | {actor} robbed {other} of {thing}.
quarrel: {actor} quarrelled with {other} over {thing}. |
    {actor} had an argument with {other} about {thing}.
give: {actor} gave {thing} to {other}. | {actor} handed {thing} over to {other}.
write: {actor} wrote to {other} about {thing}. | {actor} sent {other} a letter concerning {thing}.
tell: {actor} told {other} about {thing}. | {actor} informed {other} of the story of {thing}.
mend: {actor} repaired {thing}. | {actor} restored {thing}.
""")

OPENINGS = phrases("""
{town} was a town of slate roofs and long memories, where nothing was ever quite lost and nobody
quite forgave. This is what happened there in one year. |
People in {town} said that the river brought everything and took everything away again. That year it
seemed to be true.
""")
