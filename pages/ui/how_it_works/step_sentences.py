"""Every sentence about a step of How it works, in the order of the steps.

A name in braces is filled by `step_words`, which also chooses among the cases. Numbers arrive as
text. `head` is the open area, `parts` its sub-areas, and a word with a capital letter begins a
sentence.
"""

from typing import Final

# 1 Noise: what was measured, and whether it adds up.
EACH_HAS_NOISE: Final = "Each count has independent noise. The noisy count of {head} is **{own}**."
THE_OTHER_IS: Final = "The other is {named}."
THE_OTHERS_ARE: Final = "The others are {named}, which sum to {sum}."
THOSE_SUM_TO: Final = "Those of {parts} sum to **{sum}**."
ADDS_UP: Final = "The counts happen to be consistent."
TOO_MANY: Final = "That is {gap} too many, so the counts are inconsistent."
TOO_FEW: Final = "That is {gap} too few, so the counts are inconsistent."
HEAD_NOT_MEASURED: Final = "{Head} was not measured. The noisy counts of {parts} sum to **{sum}**."
PARTS_NOT_MEASURED: Final = (
    "The noisy count of {head} is **{own}**. The level of {parts} has no budget, so they have no "
    "noisy counts. The values of that level follow from the levels below."
)
NOTHING_MEASURED: Final = (
    "The levels of {head} and of {parts} have no budget, so they have no noisy counts. The values "
    "of these levels follow from the levels below."
)
ONE_NEGATIVE: Final = "{Areas} has a negative noisy count. A released count cannot be negative."
SOME_NEGATIVE: Final = "{Areas} have negative noisy counts. A released count cannot be negative."
MARKED_NOISE: Final = (
    "The true count of **{area}** is {true}. Noise of {noise} gives a noisy count of **{noisy}**."
)

# 2 Leaf costs: what it costs to move one count.
MOVING_ANY: Final = (
    "Moving the value of {a_leaf} by 1, 2 or 3 from its noisy count costs 1, 4 or 9 (squared "
    "distance), so many small changes are cheaper than one large change."
)
MOVING_ANY_WEIGHTED: Final = (
    "Moving the value of {a_leaf} by 1, 2 or 3 from its noisy count costs {one}, {two} or {three} "
    "(squared distance times the weight of the level, {weight}). Many small changes are therefore "
    "cheaper than one large change."
)
ZERO_IS_CHEAPEST: Final = "For a negative noisy count, 0 is the cheapest possible value."
SQUARED: Final = "Moving a count from its noisy value costs the squared distance."
SQUARED_TIMES: Final = (
    "Moving a count from its noisy value costs the squared distance times the weight of its level, "
    "{weight}."
)
SQUARED_WEIGHTED: Final = (
    "Moving a count from its noisy value costs the squared distance times the weight of its level."
)
FREE_AT: Final = "**{area}** costs nothing at {best} and costs {cost} at {other}."
FREE_ONLY_AT: Final = "**{area}** costs nothing at {best}."
COSTS_AT: Final = "**{area}** costs {least} at {best} and costs {cost} at {other}."
COSTS_ONLY_AT: Final = "**{area}** costs {least} at {best}."
BELOW_INCLUDED: Final = (
    "The costs of each sub-area already include the areas below it, combined in the same way."
)
MARKED_LEAF: Final = (
    "The noisy count of **{area}** is **{noisy}**. Moving it by 1, 2 or 3 costs 1, 4 or 9 (squared "
    "distance). Its cheapest value is {best}."
)
MARKED_LEAF_WEIGHTED: Final = (
    "The noisy count of **{area}** is **{noisy}**. Moving it by 1, 2 or 3 costs {one}, {two} or "
    "{three} (squared distance times the weight of the level, {weight}). Its cheapest value is "
    "{best}."
)
MARKED_NEGATIVE_LEAF: Final = (
    "The noisy count of **{area}** is **{noisy}**. A count cannot be negative, so the nearest "
    "possible value is **0**, at a cost of {distance} = **{cost}**. Larger values cost more: 1 "
    "would cost {next_cost}, which is {more} more."
)

# 3 Combine: the cheapest increments first.
CHEAPEST_FIRST: Final = (
    "To reach any total at the lowest cost, take the cheapest increments first, from any of the "
    "sub-areas."
)
NOTHING_TO_COMBINE: Final = "There is nothing to combine here."
WIDE_BARS: Final = "The range is wide, so a bar stands for {step} increments."
INCREMENT_SAVES: Final = "The {nth} increment comes from **{area}** and saves {cost}."
INCREMENT_COSTS: Final = "The {nth} increment comes from **{area}** and costs {cost}."
INCREMENT_IS_FREE: Final = "The {nth} increment comes from **{area}** and costs nothing."
NEXT_SAVES: Final = "The {nth} increment would come from **{area}** and save {cost}."
NEXT_COSTS: Final = "The {nth} increment would come from **{area}** and cost {cost}."
NEXT_IS_FREE: Final = "The {nth} increment would come from **{area}** and cost nothing."
FIRST_INCREMENT_UNUSED: Final = "The first increment of {area} would cost {more} and is not used."
NEXT_INCREMENT_UNUSED: Final = "The next increment of {area} would cost {more} and is not used."

# 4 Own cost: what the open area adds.
NO_OWN_COST: Final = (
    "{Head} was not measured, so it has no cost of its own. The cheapest total of its sub-areas is "
    "{best}."
)
OWN_COST_ADDED: Final = (
    "The noisy count of {head} is {own}, so choosing the value v adds {squared}."
)
OWN_COST_ALONE: Final = (
    "The noisy count of {head} is {own}, so choosing the value v costs {squared}."
)
LOWEST_IS: Final = "The lowest total cost is **{cost}**: {way}."
LOWEST_IS_TIED: Final = (
    "The lowest total cost is **{cost}**: {way}, or {other_way}. The tie is resolved one level up."
)
LOWEST_IS_TIED_AT_ROOT: Final = (
    "The lowest total cost is **{cost}**: {way}, or {other_way}. The total resolves the tie."
)
LOWEST_IS_TIED_WITHOUT_TOTAL: Final = (
    "The lowest total cost is **{cost}**: {way}, or {other_way}. The smaller value is taken."
)
LOWEST_AT: Final = "The total cost is lowest at **{best}**."
LOWEST_BETWEEN: Final = (
    "The noisy counts of the sub-areas sum to {sum}. The total cost is lowest at **{best}**."
)

# 5 Shadow price: how many increments the open area receives.
ONE_LEVEL_UP: Final = (
    "One level up, {head} is one of {n} sub-areas of {above}, where their tables are combined."
)
NO_INCREMENTS_ABOVE: Final = "{Above} has no increments to allocate, so {head} receives 0."
PRICE_ABOVE: Final = (
    "{Above} has {given} to allocate. Its sub-areas use the cheapest increments, up to a marginal "
    "cost of **λ = {price}**. At that price, {head} receives **{chosen}**."
)
NO_TOTAL: Final = (
    "The total is not fixed, so the price is **λ = 0**. An increment is used only if it lowers the "
    "total cost, and {head} becomes **{chosen}**."
)
TOTAL_IS_ZERO: Final = "There is nothing to allocate, since the public total is 0."
ONE_PRICE: Final = (
    "Each size has its own tree, and together they must match the public total of **{total}**. A "
    "single price achieves this: each size uses its increments up to a marginal cost of **λ = "
    "{price}**."
)
INCREMENT_AT_THE_PRICE: Final = (
    "The {nth} increment of this size costs exactly λ and is used to reach the total."
)
PRICE_GIVES: Final = "This gives **{chosen}**."
WITHOUT_THE_TOTAL: Final = "(Without the total it would be {best}.)"

# 6 Solution: who moved, and why.
NO_SUB_AREAS: Final = "{Head} has no sub-areas, so its value is **{given}**."
FAMILY_WITH_MARKED: Final = "{Head} is {given}: {named}."
FAMILY_IS_ZERO: Final = "{Head} is **0**, so there is nothing to allocate: {named}."
FAMILY_IS_ONE: Final = (
    "{Head} is **1**. The cheapest increment is taken, which gives {named}. The result is "
    "consistent and non-negative."
)
FAMILY_IS: Final = (
    "{Head} is **{given}**. The {given} cheapest increments are taken, which gives {named}. The "
    "result is consistent and non-negative."
)
UNMEASURED_PARTS: Final = (
    "{Head} allocates **{given}**. The level of {parts} was not measured. Its values follow from "
    "the levels below and are consistent."
)
ALLOCATES: Final = "{Head} allocates **{given}**. The noisy counts of its sub-areas sum to {sum}."
NONE_RAISED: Final = "None is raised."
ONE_RAISED: Final = "One is raised, by {up}."
SOME_RAISED: Final = "{n} are raised, by {up} in total."
ONE_RAISED_FROM_BELOW: Final = "One is raised, by {up}, because it was negative."
SOME_RAISED_ONE_FROM_BELOW: Final = (
    "{n} are raised, by {up} in total, one of them because it was negative."
)
SOME_RAISED_FROM_BELOW: Final = (
    "{n} are raised, by {up} in total, {below} of them because they were negative."
)
ONLY_FROM_BELOW: Final = "{n} are raised, by {up} in total, because they were negative."
NONE_LOWERED: Final = "None is lowered."
ONE_LOWERED: Final = "One is lowered, by {down}."
SOME_LOWERED: Final = "{n} are lowered, by {down} in total."
MANY_SMALL_CHANGES: Final = (
    "Many small changes are cheaper than a few large ones, because the cost is the squared "
    "distance."
)
MARKED_STAYS: Final = "**{Area}** stays at {value}."
MARKED_FELL: Final = (
    "**{Area}** moved from {noisy} to **{value}**. One more increment would have a marginal cost "
    "of {more}, and {head} uses no increment with a marginal cost above {price}."
)
MARKED_FELL_BY_TIE: Final = (
    "**{Area}** moved from {noisy} to **{value}**. One more increment would have a marginal cost "
    "of {more}. Other increments have the same cost, and {head} does not use all of them."
)
MARKED_FELL_TO_NOTHING: Final = (
    "**{Area}** moved from {noisy} to **0**, because {head} has no increments to allocate."
)
MARKED_ROSE: Final = (
    "**{Area}** moved from {noisy} to **{value}**. Its last increment has a marginal cost of "
    "{last}, and {head} uses increments with a marginal cost of up to {price}."
)

# 6 Solution, for an area with a negative noisy count.
WHY_RAISED: Final = (
    "**Why {Area} moved from {noisy} to {value}.** Its true count is {true}, and its noisy count "
    "{noisy}. A count cannot be negative, so it has to rise. Each further step from the noisy "
    "count costs more than the last, so it rises only to **{value}**."
)
WHY_RAISED_ABOVE_ZERO: Final = (
    "**Why {Area} moved from {noisy} to {value}.** Its true count is {true}, and its noisy count "
    "{noisy}. A count cannot be negative, so it has to rise. {Head} has so many increments to "
    "allocate that it rises above 0, to **{value}**."
)
STAYS_AT_ZERO_COST: Final = (
    "A first increment would cost {more}, while the most expensive increment used by {head} costs "
    "{cost}."
)
STAYS_AT_ZERO_SAVING: Final = (
    "A first increment would cost {more}, while the most expensive increment used by {head} saves "
    "{cost}."
)
INCREMENTS_AVAILABLE: Final = (
    "**Increments available.** {Head} has **{given}** to allocate, as determined one level up."
)
INCREMENTS_AVAILABLE_AT_ROOT: Final = (
    "**Increments available.** {Head} has **{given}** to allocate."
)
ONLY_ONE_NEGATIVE: Final = "Only {Area} has a negative noisy count. Raising it to 0 adds {lift}."
SEVERAL_NEGATIVE: Final = "{n} {level} have negative noisy counts. Raising them to 0 adds {lift}."
IT_RECEIVES: Final = "In the solution, it receives **{received}**."
THEY_RECEIVE: Final = "In the solution, they receive **{received}** in total."
OTHERS_FALL: Final = (
    "The noisy counts of the other {n} sum to {sum}, so they must fall by **{room}** in total."
)
OTHERS_RISE: Final = (
    "The noisy counts of the other {n} sum to {sum}, so they must also rise, by **{room}** in "
    "total."
)
OTHERS_STAY: Final = "The noisy counts of the other {n} sum to {sum}, so they can stay as they are."
OTHER_FALLS: Final = "The noisy count of the other one is {sum}, so it must fall by **{room}**."
OTHER_RISES: Final = (
    "The noisy count of the other one is {sum}, so it must also rise, by **{room}**."
)
OTHER_STAYS: Final = "The noisy count of the other one is {sum}, so it can stay as it is."
ONE_REDUCED: Final = "**Area reduced.** {area}, by {sum}."
REDUCED: Final = "**Areas reduced.** {named}. That is {sum} in total."
REDUCED_AND_MORE: Final = (
    "**Areas reduced.** {named}, and {n} more by {rest} together. That is {sum} in total."
)
REDUCED_AND_ONE_MORE: Final = (
    "**Areas reduced.** {named}, and one more by {rest}. That is {sum} in total."
)
REDUCED_AND_MORE_EACH: Final = (
    "**Areas reduced.** {named}, and {n} more by {rest} each. That is {sum} in total."
)
TIES_BY_ORDER: Final = (
    "A step of one costs the same in each of these areas. The order of the areas in the table "
    "therefore determines which of them are reduced."
)

# Below the numbers of a step.
COST_FLOOR: Final = (
    "The sub-areas cost at least {floor} for any value of {area}. The bars show the additional "
    "cost."
)
WEIGHTS: Final = "Levels with less noise have a larger weight: {weights}."
WINDOW: Final = "The chart shows v from {first} to {last}."
WINDOW_IN_STEPS: Final = "The chart shows v from {first} to {last} in steps of {step}."

# The other tabs.
CHAIN: Final = (
    "The chain program measures cumulative sums: GA, GA + NY, and the US, which equals GA + NY. "
    "The noisy values are **{ga}**, **{ny}** and **{us}**. Cumulative sums cannot decrease, so "
    "φ(v) is the lowest τ of the preceding sum at any value up to v. The US must equal the "
    "preceding sum, so its φ(v) is the τ of that sum at v. The last table is lowest at "
    "**{us_sum}**. Going back, the sums are {ny_sum} for NY and {ga_sum} for GA, so GA is {ga_sum} "
    "and NY is {ny_count}."
)
CHAIN_WARNING: Final = (
    "The published noise of the chain is too small. One person changes one cumulative sum for "
    "*every* area of a level, not just one sum, so the sensitivity grows with the number of areas. "
    "On this tree, the actual ε is {factor} times the stated ε. For the United States with its "
    "states and counties, it is more than 1,000 times the stated ε."
)
NOISE_IS_UNBIASED: Final = "These are means over {simulations}. Noise alone is unbiased."
NO_ZEROS: Final = (
    "No true count here is 0. The non-negativity constraint causes bias only if noise makes some "
    "counts negative."
)
ZEROS_NOT_RAISED: Final = "Counts whose true value is 0 are not raised on average."
BIAS_AT_ZERO: Final = (
    "Bias comes from the non-negativity constraint. Counts whose true value is 0 change by "
    "**{zero}** on average."
)
BIAS_ELSEWHERE: Final = (
    "Because counts must add up to the count of the area above, other counts are lowered. Those "
    "with a true count of {counts} are lowered most (**{bias}** on average)."
)
ALL_SIZES: Final = "The errors are those of all sizes together."
STAGES: Final = (
    "Every stage starts from the noisy counts, and each has one more requirement than the one "
    "before. Least squares makes the counts consistent. In the next stage, no count may be "
    "negative, and the public total is kept, if there is one. In the last stage, all counts must "
    "also be integers. True counts above 0 are grouped into up to ten classes, and those of 0 form "
    "a further class."
)
