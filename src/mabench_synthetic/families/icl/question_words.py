"""Nouns that tell what kind of answer a question wants, by kind of answer.

The number behind a kind says how common it is; kinds of six groups are told apart. The first
nouns of a kind are its common ones.
"""

from __future__ import annotations

from mabench_synthetic.language.wordings import table

# Group to kinds (with how common they are) to nouns.
NOUNS = {
    "letters": table("""
shortening 1: abbreviation | acronym | short form | initialism | short name | code name |
    initials | code | sign
expansion 4: full form | long form | full name | expansion | meaning of the initials |
    spelled-out name | title | other name
"""),
    "account": table("""
meaning 26: definition | meaning | sense | idea | concept | essence | nature | point
story 16: history | origin | story | purpose | role | function | nature | background | use |
    message | significance | difference | character | fate | plot | duty | part | sense | course
way 15: way | procedure | recipe | trick | steps | manner | instructions | advice | method |
    system | step | key
reason 11: reason | cause | motive | grounds | excuse | explanation | occasion | case | point
"""),
    "thing": table("""
animal 7: animal | bird | fish | dog | insect | beetle | snake | horse | spider | whale | frog |
    lizard | monkey | moth | owl | crab | goat | mouse | hound | reptile | mammal | seal | shark |
    rodent | cattle breed | bat | crane | calf | mole
organ 2: part of the body | organ | bone | muscle | limb | finger | tooth | gland | nerve |
    tissue | joint | vein | calf | chest | palm | tongue
colour 3: colour | shade | tint | hue | dye | paint | colouring | tone of red | paint mark |
    stripe
work 12: novel | book | film | song | play | poem | opera | painting | ballad | statue | comedy |
    comic | hymn | newspaper | radio play | musical | portrait | sonnet | album | magazine |
    fairy tale | symphony | cartoon | photograph | dance piece | essay | record | score | piece |
    print | title | column
coin 1: currency | money | coin | banknote | legal tender | note | penny
illness 6: disease | illness | fever | infection | ailment | plague | disorder | cough | rash |
    allergy | syndrome | virus | tumour | condition of the lungs | stroke | condition | growth |
    cold
happening 4: war | battle | festival | revolt | fire | flood | holiday | strike | treaty talk |
    congress | siege | duel | fair | parade | storm | wedding | riot | race | match | party |
    march | case | meeting
food 6: dish | cake | drink | soup | cheese | fruit | bread | wine | sauce | beer | spice |
    sausage | pudding | meal | breakfast | stew | vegetable | sweet | biscuit | porridge |
    liqueur | date | plum | pie | grape | drop
instrument 1: instrument | flute | drum | horn | string instrument | bagpipe | fiddle | harp |
    organ | key | record
tongue 2: language | tongue | dialect | idiom | speech | script | letter
letter 1: letter | vowel | consonant | initial | capital letter | character of the alphabet |
    character | sign | mark
object 13: thing | object | item | gift | prize | toy | tool | treasure | relic | trophy |
    belonging | garment | weapon | hat | souvenir | jewel | lamp | machine | wire | mask |
    bottle | key | ornament | trap | stick | pipe | crown | ring | glass | chest | pen | seal |
    prints | mark | letter | book
plant 3: flower | tree | plant | herb | bush | weed | fern | moss | rose | grass | shrub |
    orchid | vine | palm | pine | cotton
goods 5: product | brand | ware | merchandise | export | soap | cosmetic | medicine | pill |
    gadget | fuel | appliance | computer | device | cereal | toothpaste | drug | drink | coffee |
    wine | record | film
faith 1: religion | faith | church | cult | creed | belief | denomination | order | sect
sport 5: sport | game | contest | ball game | pastime | board game | card game | race |
    martial art | hobby | match | chess | tennis
matter 4: metal | stone | gas | material | mineral | liquid | acid | powder | alloy | rock |
    fabric | wood | chemical | glue | oil | fibre | element | gem | iron | glass | drug |
    plastic | cotton | amber
sign 1: emblem | symbol | sign | crest | seal mark | flag | badge | coat of arms | mark | bird |
    star | animal | colour
method 3: method | technique | process | tactic | system | stroke | style | treatment | theory |
    therapy | test | strategy | way | trick | step | course
term 7: term | word for it | nickname | expression | name for a fear | technical name | synonym |
    slang word | Latin name | title of address | other name | title | word | name | first name
vehicle 2: ship | car | vehicle | boat | train | plane | carriage | lorry | balloon | sledge |
    steamer | ferry | motorcycle | spacecraft | craft | cab | tank
phrase 2: word | verse | sentence | saying | palindrome | rhyme | password | motto | line |
    last words | term
"""),
    "people": table("""
group 12: company | team | family | band | tribe | party | club | firm | army | people | school |
    newspaper owner | airline | choir | gang | dynasty | agency | order of monks | orchestra |
    committee | maker | union | regiment | police force | college | publisher | bank | sect |
    rock group | brewery | order | crew | house | church | press | race | state | circle
person 50: man | woman | actor | author | king | queen | president | singer | painter | general |
    inventor | player | boxer | poet | explorer | composer | senator | astronaut | scientist |
    outlaw | mayor | dancer | detective | swimmer | bishop | comedian | runner | writer | hero |
    villain | pilot | captain | doctor | architect | emperor | princess | philosopher | murderer |
    golfer | wife | husband | nephew | pharaoh | director | baron | heroine | champion | founder |
    monarch | leader | character | cook | sailor | guard | head | chief | star | judge | nurse |
    boy | girl
title 2: profession | office | rank | job | trade | occupation | position | calling | post |
    career | title | degree | part | role
portrait 4: fame | claim to fame | claim to glory | life's work | place in history | role | rank
"""),
    "place": table("""
town 8: city | town | capital | village | port | birthplace | market town | seat of government |
    spa | suburb | place | resort | harbour | centre
country 9: country | nation | kingdom | republic | state | empire | homeland | island state |
    colony | realm | land | place | territory | island
height 2: mountain | peak | hill | volcano | mountain range | summit | ridge | cliff | rock |
    range | top
spot 24: river | lake | place | street | island | building | sea | castle | park | hotel |
    bridge | bay | museum | desert | ocean | square | valley | palace | planet | harbour | tower |
    prison | cape | waterfall | cathedral | canal | strait | field | house | cave | stadium |
    temple | star | avenue | forest | zoo | country house | church | school | bank | port | home |
    base | court | pole | site | club | state
region 4: province | region | county | district | shire | area | canton | prefecture | territory |
    borough | state | land | belt | coast | part
"""),
    "number": table("""
code 1: postal code | telephone number | dialling code | zip code | house number | number plate |
    number | code | address
count 19: number of inhabitants | population | number of members | total of votes | tally |
    count | attendance | crew size | circulation | number | size | crowd
date 12: year | date | day | month | birthday | century | decade | anniversary | season |
    founding year | time | hour | date of birth | start
distance 3: distance | length | width | height | altitude | depth | diameter | radius |
    wing span | range | size | way | span
sum 4: price | cost | salary | wage | fee | fine | prize money | value | debt | income | rent |
    toll | tax | budget | rate | amount | pay | bill | charge
rank 1: rank number | place in the race | chapter number | position in the table | turn | grade |
    place | number | position
figure 3: score | size of shoe | chance | odds | record | result | ratio | number of the bus |
    pressure | frequency | latitude | volume | degree | rate | mark | number | level | count
period 5: age | life span | duration | length of the reign | term of office | gestation period |
    waiting time | expectancy of life | time | term | period | season
share 2: percentage | share | proportion | rate of interest | part of the income | quota | rate |
    part | number | majority
pace 1: speed | pace | top speed | speed of the wind | velocity | rate | time
warmth 1: temperature | boiling point | mean temperature | melting point | heat | degree | level |
    record
extent 1: area | size | surface | extent | acreage | range | area covered | floor space
weight 1: weight | mass | load | birth weight | payload | amount
"""),
}
