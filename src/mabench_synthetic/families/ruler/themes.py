"""What an article is about besides its facts: each subject has a theme, told by its things.

Real articles differ in what they are about, and a search by meaning finds them by it. Without
themes, all articles of a kind would mean nearly the same.
"""

from __future__ import annotations

from random import Random

from mabench_synthetic.language.wordings import table
from mabench_synthetic.world.world import World

# The things of each theme, all in the plural.
_THINGS = table("""
architecture: arches | cornices | floor plans | domes | spiral stairs | foundations | courtyards |
    facades | buttresses | scaffolds | vaulted ceilings | blueprints
astronomy: comets | star charts | telescopes | eclipses | lenses | meteors | planets |
    observatories | sunspots | moons | nebulae | orbits
botany: mosses | orchids | ferns | herb beds | seeds | greenhouses | roots | bulbs | lichens |
    grafts | toadstools | rare grasses
bookbinding: endpapers | gilt edges | glue pots | spines | calfskins | folios | clasps | stitches |
    vellum bindings | dust jackets | leather covers | loose leaves
chamber music: cello suites | bows | string quartets | tuning pegs | concert halls | sonatas |
    rehearsals | encores | solos | duets | fingerings | wrong notes
chemistry: acids | flasks | crystals | dyes | burners | salts | distillates | solvents | powders |
    gases | alloys | test tubes
clocks: pendulums | escapements | mainsprings | dials | chimes | cogs | watch cases |
    church clocks | winding keys | alarm clocks | hourglasses | sundials
choral music: fugues | operas | overtures | choirs | symphonies | song cycles | scores | cantatas |
    motets | waltzes | hymns | marches
machines: steam pumps | turbines | dams | pistons | tunnels | boilers | cranes | gears | viaducts |
    valves | girders | locomotives
geology: fossils | rock strata | basalt cliffs | caves | ores | glaciers | volcanoes |
    quartz veins | earthquakes | landslides | gravel beds | coal seams
glass: furnaces | goblets | blowpipes | bottles | window panes | decanters | glass beads |
    paperweights | chandeliers | crystal bowls | tumblers | glass eyes
history: chronicles | archives | treaties | battles | charters | dynasties | parish registers |
    sieges | coronations | feudal rents | revolutions | peasant revolts
law: verdicts | witnesses | wills | appeals | courtrooms | statutes | oaths | prisons | juries |
    lawsuits | fines | bail bonds
maps: contour lines | atlases | compasses | coastlines | globes | sea charts | meridians |
    borders | latitudes | trade routes | unmapped islands | town plans
storytelling: chapters | plots | drafts | love stories | villains | manuscripts | narrators |
    happy endings | typewriters | ghost stories | sequels | dialogues
painting: canvases | easels | still lifes | portraits | pigments | landscapes | brushes | frescoes |
    sketchbooks | palettes | watercolours | gallery walls
medicine: fevers | bandages | vaccines | operations | hospital wards | prescriptions |
    fractures | surgeons | patients | tonics | epidemics | nurses
poetry: sonnets | rhymes | elegies | odes | metaphors | ballads | stanzas | love poems | couplets |
    laments | epigrams | verses
sculpture: marble blocks | chisels | plaster casts | bronze heads | pedestals | statues | mallets |
    clay models | torsos | reliefs | busts | stone lions
shipbuilding: keels | masts | hulls | slipways | anchors | schooners | rudders | ferries | sails |
    lifeboats | dry docks | trawlers
land surveying: boundary stones | theodolites | land registers | ranging poles | plots of land |
    plumb lines | field books | hedgerows | ditches | footpaths | acres | levels
weaving: looms | shuttles | warp threads | tapestries | bobbins | tweeds | silks | carpets |
    blankets | woollens | spinning wheels | shawls
scholarship: lectures | examinations | scholars | diplomas | debates | professors | essays |
    prizes | entrance papers | Latin classes | libraries | theses
banking: loans | vaults | ledgers | interest rates | mortgages | coins | banknotes | cashiers |
    savings | cheques | dividends | debts
beer: barrels | hops | ales | stouts | beer cellars | taverns | yeasts | kegs | brewers |
    drinkers | maltings | beer gardens
music lessons: pianos | recitals | singing lessons | music stands | pupils | voice exercises |
    metronomes | sopranos | violins | practice rooms | conductors | organists
charity: grants | orphans | soup kitchens | legacies | charity balls | donations | almshouses |
    widows | hospices | benefactors | scholarships | good causes
inventions: laboratories | experiments | patents | microscopes | measurements | gadgets |
    researchers | prototypes | discoveries | hypotheses | apparatuses | congresses
ancient art: glass cases | mummies | exhibitions | curators | guided tours | ruins | catalogues |
    skeletons | stuffed birds | relics | visitors | collectors
newspapers: editors | headlines | proofs | reporters | magazines | columns | interviews | readers |
    newsboys | misprints | subscriptions | scandals
printing: inks | rollers | lithographs | posters | paper reels | typesetters | woodcuts |
    pamphlets | stencils | postcards | copper plates | calendars
steamships: welders | cargo ships | rivets | launches | shipwrights | steamers | tugboats |
    ship's engines | propellers | harbour pilots | frigates | wharves
clubs: bylaws | excursions | lantern lectures | annual dinners | members | committees |
    minutes | honorary presidents | reading rooms | picnics | club ties | ballots
theatre: actors | curtain calls | comedies | costumes | prompters | stage sets | tragedies |
    dress rehearsals | understudies | footlights | box offices | melodramas
fishing: herrings | nets | trawls | oyster beds | eels | fish markets | harbours | lobster pots |
    lighthouses | gulls | smokehouses | crabs
mining: pits | shafts | lamps | ponies | slag heaps | winding towers | miners | tin ores |
    silver veins | pickaxes | collieries | explosions
wine: vineyards | grapes | cellars | corks | harvests | presses | vintages | casks | pruners |
    tastings | slopes | wine merchants
spas: hot springs | baths | pump rooms | mud cures | invalids | promenades | bath chairs |
    mineral waters | sanatoriums | masseurs | steam rooms | convalescents
cattle: cows | bulls | dairies | cheeses | pastures | drovers | butter churns | calves | milkmaids |
    hay barns | slaughterhouses | cattle shows
soldiers: barracks | cannons | sentries | regiments | parades | ramparts | cavalry charges |
    medals | deserters | sabres | recruits | drums
pilgrims: shrines | relics | monks | candles | chapels | miracles | processions | hermits | nuns |
    icons | cloisters | bell towers
orchards: apples | cherries | plums | beehives | ladders | ciders | blossoms | jams | walnut trees |
    pickers | fruit carts | pears
mountains: skis | avalanches | guides | summits | cable cars | huts | snowdrifts | climbers |
    ropes | passes | toboggans | chamois
deserts: camels | caravans | dunes | oases | dates | wells | nomads | sandstorms | tents |
    salt pans | scorpions | spices
gambling: casinos | dice | roulette wheels | racehorses | bookmakers | card games | wagers |
    lotteries | debts of honour | croupiers | jackpots | bluffs
railways: stations | sleepers | signal boxes | timetables | express trains | dining cars |
    stokers | level crossings | goods wagons | sidings | tickets | branch lines
crime: burglars | safes | forgers | detectives | alibis | fingerprints | poisons | ransom notes |
    smugglers | informers | pickpockets | disguises
ghosts: seances | haunted houses | spectres | graveyards | crypts | curses | black cats | mediums |
    midnight bells | apparitions | werewolves | vampires
spies: ciphers | double agents | embassies | passports | secret letters | listening posts |
    defectors | couriers | hidden microphones | invisible inks | safe houses | traitors
aviation: airships | gliders | propellers | runways | pilots | parachutes | biplanes | hangars |
    stowaways | forced landings | test flights | balloons
circuses: clowns | acrobats | lion tamers | trapezes | sword swallowers | elephants | big tops |
    jugglers | fortune tellers | stilts | tightropes | sideshows
cooking: recipes | soups | pastries | spoons | roasts | kitchens | puddings | spices | dumplings |
    sauces | banquets | cooks
dancing: ballrooms | tangos | ballets | dancers | slippers | folk dances | polkas | minuets |
    pirouettes | dance masters | masked balls | reels
elections: ballot boxes | candidates | parliaments | ministers | speeches | parties | votes |
    manifestos | petitions | scandals | rallies | coalitions
fashion: hats | gloves | tailors | gowns | buttons | ribbons | milliners | corsets | furs |
    seamstresses | dressmakers | patterns
films: cameras | film stars | cinemas | stunts | silent films | extras | projectors | close-ups |
    screenplays | premieres | film scores | reels of film
forests: oaks | lumberjacks | sawmills | wolves | charcoal burners | clearings | foresters |
    deer | pine cones | log cabins | owls | beech woods
horses: stables | saddles | jockeys | foals | bridles | horseshoes | grooms | stallions | hurdles |
    carriages | stagecoaches | mares
insects: butterflies | beetles | wasps | ant hills | moths | cocoons | dragonflies | crickets |
    mosquitoes | pinned specimens | locusts | spiders
kings: thrones | crowns | courtiers | princes | palaces | jesters | coats of arms | heirs |
    queens | royal weddings | sceptres | tournaments
pirates: cutlasses | treasure maps | buccaneers | galleons | parrots | desert islands | hostages |
    black flags | mutinies | doubloons | boarding hooks | castaways
rivers: barges | locks | watermills | floods | ferrymen | bargemen | weirs | towpaths | otters |
    bridges | rafts | waterfalls
schools: pupils | teachers | blackboards | playgrounds | satchels | school bells | reports |
    classrooms | dormitories | headmasters | canes | holidays
toys: dolls | tin soldiers | rocking horses | kites | marbles | spinning tops | puppets |
    toy trains | teddy bears | dolls' houses | building blocks | music boxes
tulips: tulip fields | auctions | gardeners | flower markets | bulb cellars | flower pots |
    bouquets | florists | greenhouses | petals | window boxes | rose gardens
weather: thunderstorms | barometers | fogs | rainbows | weather vanes | hailstones | droughts |
    forecasts | cold winters | gales | umbrellas | lightning rods
whales: harpoons | whalers | blubber pots | icebergs | seals | ice floes | polar bears |
    sledges | walruses | spouts | narwhals | whale bones
""")
_NAMES = tuple(_THINGS)


def give_themes(rng: Random, world: World) -> None:
    """Draw a theme for each person, city, organisation and work, kept like a relation."""
    for kind in ("person", "city", "organisation", "work"):
        for name in world.entities[kind]:
            world.state["theme", name] = rng.choice(_NAMES)


def a_thing(rng: Random, world: World, name: str) -> str:
    """Return a kind of things that belongs to the theme of a subject, in the plural."""
    return rng.choice(_THINGS[world.state["theme", name]])
