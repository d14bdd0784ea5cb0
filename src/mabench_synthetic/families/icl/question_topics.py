"""Words that questions of every kind are about, and that tell nothing of the kind.

They are many, so that most stand in a handful of a row's questions, under several labels: a text
that shares its rarest word with another is often of another class.
"""

from __future__ import annotations

from mabench_synthetic.language.wordings import words

TOPICS = words("""
    abacus accident accordion acorn alarm alcove alibi alley almanac altar ambulance ambush
    amulet anchor antenna anthem anvil apple apprentice apron aqueduct arch archive argument
    armchair armour arrow artery ashtray atlas atom attic auction autograph avalanche axe axle
    backpack bakery balcony ballot bandage banjo banner banquet bargain barn barometer barrel
    barricade basement basket bathtub battery bayonet beacon bead beak beam beard bed beehive
    bell bench bet bicycle billboard blackboard blade blanket blizzard blueprint boiler bolt
    bomb bonfire bookcase boomerang boot border bow bowl brain brake branch bribe brick bride
    bridle briefcase brooch broom brush bubble bucket bullet bunker buoy burden burglary button
    cabin cabinet cable cactus cage calculator calendar camel camera campaign candle cannon
    canoe canvas caravan carnival carpet cartridge carving cathode cauldron ceiling cellar
    cemetery ceremony chain chair chandelier chart chimney chisel chord cigar cinder cinema
    circuit circus cistern claw clock cloud clover cobweb cocoon coffin collar collision comb
    comet compass concert contract cord corner corridor costume cottage courtyard cradle crater
    crayon crossing crossword crowbar crumb crust crystal cube cuff curfew curse curtain cushion
    cyclone cylinder dagger dam dandelion darkroom debate deck deed deluge desk dessert detour
    diamond diary dictionary dinner disaster disguise ditch dive dock document doll dome doorway
    dove dowry dragon drain drawbridge drawer dream dress drill driveway dyke dynamo ear earring
    earthquake earthworm easel echo eclipse egg election elevator ember encore engine envelope
    epidemic eraser errand escalator examination explosion eye eyebrow eyelid fable factory
    fairground falcon farm feast feather fence fig filter fingerprint fireplace firework flame
    flask flea flight footprint forge fork fort fortune fossil foundry fountain fox fracture
    frame freckle fringe frontier funnel furnace fuse gallery gamble garage garden gear
    generator ghost giant glacier globe glove glow goal goblet gong granary grave greenhouse
    grindstone grocery guillotine gun gutter gymnasium haircut hallway halo hammer hammock
    handbag handkerchief handle handrail handshake hangar harness haystack headache headlight
    hearse heart heartbeat hearth hedge heel helicopter helmet hem herald hiccup highway hinge
    honeymoon hood hoop horizon hose hostage hubcap hull hurdle hurricane hut iceberg icicle
    igloo inch incubator inkwell inscription interview invasion invitation jacket jail jar jaw
    jetty joke journey jug juggler jungle keg kennel kettle kidnapping kiln kiss kitchen kite
    knee knight knob knock knot laboratory ladder lagoon landing landmark landslide lantern
    laser lasso latch lawn lawsuit league lecture ledge legend lens lever library lid lighthouse
    lip lobby locket locksmith locomotive log lollipop loom loop lottery loudspeaker lullaby
    lung magnet mailbox mane manuscript map marathon market marriage marsh mast masterpiece mat
    maze meadow medal melody meridian microphone microscope migration millstone minefield
    miracle mirage mirror mist mistake moat monsoon monument moon mortar mosaic mosquito motel
    mound moustache mummy mushroom mystery nail napkin necklace needle net newsreel noose nose
    notebook nut oak oar obituary olive omelette optician orbit orchard orphanage outbreak oven
    overcoat oyster paddle page palette pan pantry parachute parcel parchment passport patch
    patent pavement paw pawn payphone pearl pebble pedal pedestal pencil pendulum peninsula
    perfume periscope petition petticoat pew phantom photocopy picnic pier pilgrimage pillar
    pillow pin pinch pipeline pirate pit pizza planetarium plank plate platform playground
    plough plug pocket poker pond ponytail pool porch portal postbox postcard prayer preface
    prescription prism projector propeller prophecy protest proverb pulley pulse pump pumpkin
    punch puppet purse puzzle pyramid quarrel quarry quill quilt radar radiator raft raid
    railway rainbow ramp ransom rattle ravine razor receipt reef referee refrigerator rehearsal
    rein rescue reservoir retina ribbon riddle rifle ritual robbery robe robot rocket rod roof
    room rope rosary rotor rudder ruin rumour runway saddle safe sail salad sandal sandwich
    satellite saucer sauna saw scaffold scandal scar scarecrow scarf scholarship scooter screen
    screw sculpture seam seat secret seed seesaw sewer shadow shawl shed shell shelter shield
    shipwreck shirt shoe shortage shoulder shovel shower shutter shuttle sidewalk siesta
    signature signpost silo sink siren skate skeleton skull skyscraper sled sleeve slipper
    slogan slope smile snack sneeze snowfall snowflake socket sofa spade spark spear spike
    splinter sponge spoon spotlight spur stable stage stain staircase stalk stall stampede
    stencil steppe stirrup stitch stocking stomach stool stopwatch stove stream streetcar
    stretcher studio submarine subway suit suitcase sundial sunflower sunrise sunset surname
    swamp sweater sweepstake sword tablecloth tail tailor target tattoo taxi teapot tear
    telegram telegraph telescope television tent terrace textbook thatch thermometer thermos
    thimble threshold throat throne thumb ticket tie tightrope tile tomb toolbox toothbrush
    torch tornado towel track trail tramp trampoline transistor trapdoor trapeze tray treadmill
    trench trial triangle tricycle trigger tripod trouble trumpet trunk tsunami tub tug tunnel
    turban turbine turnip turnstile typewriter tyre ulcer umbrella uproar urn vaccine valve
    vampire vase vault veil vendetta verdict vest vibration victory vineyard viper visa vitamin
    vow voyage waist walkway wall wallet wallpaper walnut waltz wand warehouse warning wart
    watch watermark web wedge weekend weir wharf wheelbarrow wheelchair whip whirlpool whisper
    whistle wig windmill window wish witness workshop wreath wreck wrench wrinkle wrist yacht
    yarn yawn yolk zigzag zipper
    """)
# Verbs whose past is regular and doubles no letter.
VERBS = words("""
    accept accuse add admire adore annoy approach arrange arrest ask assemble attack attend
    auction avoid award bake balance bless boil borrow brush calculate capture carry carve
    celebrate challenge change charm chase cherish claim climb close collect colour comfort
    compare complete conceal conquer consume copy correct count cover crash criticise cross
    damage deceive declare decorate defeat defend deliver demand describe deserve design destroy
    discover discuss dislike disturb divide donate empty encourage endanger enjoy enlarge enter
    establish examine exchange explain explore expose finance finish fold follow forge frighten
    govern greet guard guide hate help honour hunt ignore imitate import improve inherit inspect
    inspire introduce invade join judge kick launch lift limit lock lower marry measure melt
    mention miss mock move neglect notice obey observe offer open oppose order organise paint
    pardon perform persuade photograph polish postpone praise predict preserve print produce
    protect publish punish purchase pursue push raise reach receive recover recruit refuse
    reject release remember remove rename rent repair replace rescue restore reveal reward risk
    roast ruin save scare search separate serve shape share sharpen shelter sign smash smell
    solve stain store study succeed surprise surround survive taste test threaten touch trade
    train transform treat trust uncover visit warn wash waste watch weigh welcome witness
    worship wound wreck
    """)
ADJECTIVES = words("""
    ancient blue broken crooked deep empty famous foreign frozen golden great grey hidden hollow
    iron last little lost narrow new northern old open painted pale red round royal secret
    silver southern steep stone tall twin upper white wooden
    """)
