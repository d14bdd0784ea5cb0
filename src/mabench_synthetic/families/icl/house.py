"""Short commands to a house: the same few things, told apart by little words."""

from __future__ import annotations

from mabench_synthetic.families.icl.intents import Intents
from mabench_synthetic.language.wordings import phrases, table

HOUSE = Intents(
    things=table("""
lamp: lamp | light | bulb | window light
heater: heater | heating | radiator | air
fountain: fountain | garden fountain | water | pump
oven: oven | stove | cooker | baking oven
blind: blind | shutter | shade | window blind
mower: mower | lawn robot | robot for the grass | grass cutter
kettle: kettle | tea water | water boiler | water
screen: screen | television | telly | picture | sound
fan: fan | ventilator | air | window fan
lock: door lock | lock | door | bolt
hose: garden hose | sprinkler | pump | water | watering
washer: washer | washing machine | laundry | drum
siren: siren | burglar alarm | door alarm | door guard
speaker: speaker | music | radio | sound
"""),
    needs=table("""
start: {o} on | (start/turn on/switch on) (the/) {o} | I (want/need) (the/) {o} |
    (give me/let me have) (the/some) {o} | (get/set) (the/) {o} (going/running) |
    (can/could) you (start/run) (the/) {o}? | (bring/wake) (the/) {o} (up/to life) |
    it is time for (the/) {o} | (some/) {o}, please | (we/I) (could use/like) {o}
stop: {o} off | (stop/turn off/switch off) (the/) {o} | no (more/) {o} | (kill/end) (the/) {o} |
    (leave/have) (the/) {o} off | (that is/that's) enough {o} |
    (can/could) you (stop/pause) (the/) {o}? | (give/let) (the/) {o} a rest |
    I (do not/don't) (want/need) (the/) {o} | too much {o}
state: (is/isn't) (the/) {o} (on/off/running)? | (check/how is) (the/) {o} |
    what is (the/) {o} doing? | {o} status | did I leave (the/) {o} on? |
    (tell me/say) if (the/) {o} is on | (does/will) (the/) {o} (run/work)? |
    is it time for (the/) {o}? | is (the/) {o} too (weak/strong)? |
    (how long/since when) is (the/) {o} on?
later: {o} (at/around/by) {number} past | (start/set/run) (the/) {o} (at/for) {number} past |
    (the/) {o} (every/each) {day} | {o} (on/only on) {day} | (plan/time) (the/) {o} for {day} |
    it is time for (the/) {o} (soon/) | (the/) {o} in {number} minutes |
    (wait/hold) (the/) {o} until {day} | (stop/end) (the/) {o} (at/after) {number} minutes
more: (more/a bit more) {o} | (turn up/raise/increase) (the/) {o} | (the/) {o} (stronger/higher) |
    (make/set) (the/) {o} (stronger/higher) | (not enough/too little) {o} |
    (the/) {o} is too (weak/low) | (full/double) {o} | (some/) {o}, please |
    (we/I) could use {o} | I (want/need) (the/) {o} |
    (can/could) (the/) {o} be (stronger/higher)? | {o} up
less: (less/a bit less) {o} | (turn down/lower/reduce) (the/) {o} | (the/) {o} (weaker/lower) |
    (make/set) (the/) {o} (weaker/lower) | too (much/strong) {o} |
    (the/) {o} is too (strong/high) | (half/little) {o} |
    I (do not/don't) (want/need) (so much/) {o} | (that is/that's) enough {o} |
    (can/could) (the/) {o} be (weaker/lower)? | {o} down
"""),
    vague_things=("thing", "other one", "machine", "whole house", "last one"),
    vague_needs=phrases("""
    {o} | (the/my) {o}, (please/now) | (do/change) (the/) {o} | {o} (again/as always) |
    what about (the/) {o}? | (see to/mind) (the/) {o}
    """),
    details=phrases("""
    upstairs | in the hall | in the kitchen | in the cellar | in the study | for {person} |
    for the baby | (this/next) {day} | (right/) now | for the guests | when I leave |
    until tonight | downstairs | by the window | next to the bed | outside | for an hour |
    while we eat | in the back room
    """),
    before_another=phrases("""
    (the/) {x} (is on/is off/stays), | (leave/keep) (the/) {x} and | with (the/) {x} (on/off), |
    not (the/) {x}, | (after/before) (the/) {x},
    """),
    after_another=phrases("""
    , not (the/) {x} | (instead of/like) (the/) {x} | (before/after) (the/) {x} |
    with (the/) {x} (on/off) | , (the/) {x} (stays/too weak) | near (the/) {x}
    """),
    openers=phrases("""
    please | hey, | now | quickly, | ok,
    """),
    closers=phrases("""
    Thanks! | Please. | Now.
    """),
)  # fmt: skip
