"""Which header of CCCL's has a name: libcu++ for namespace std, Thrust, CUB.

Each takes NVRTC one to two seconds, so that none is included before a message asks for a name of
it. Names that only the host has (`thrust::device_vector`) are in no table.
"""

from __future__ import annotations

from collections.abc import Iterable

from perflint.base.patterns import pattern
from perflint.frontend.source.project.user_files import by_word, words

#: What our pre-include lacks of namespace std, by libcu++'s header that has it.
_LIBCXX = by_word(
    {
        "tuple": "tuple make_tuple tie get tuple_size tuple_element tuple_size_v tuple_element_t "
        "apply ignore forward_as_tuple tuple_cat",
        "array": "array",
        "utility": "pair make_pair exchange integer_sequence index_sequence make_index_sequence "
        "make_integer_sequence index_sequence_for declval as_const in_place in_place_t",
        "optional": "optional nullopt nullopt_t",
        "complex": "complex conj norm polar",
        "functional": "plus minus multiplies divides modulus negate less less_equal greater "
        "greater_equal equal_to not_equal_to logical_and logical_or bit_and bit_or bit_xor invoke "
        "mem_fn reference_wrapper ref cref not_fn",
        "chrono": "chrono",
        "ratio": "ratio",
        "numbers": "numbers",
        "mdspan": "mdspan extents dextents layout_left layout_right layout_stride",
        "iterator": "iterator_traits reverse_iterator distance advance next prev size data "
        "input_iterator_tag output_iterator_tag forward_iterator_tag bidirectional_iterator_tag "
        "random_access_iterator_tag",
        "bit": "bit_cast popcount countl_zero countr_zero has_single_bit bit_ceil bit_floor",
        "span": "span",
        "cstddef": "byte max_align_t",
        "initializer_list": "initializer_list",
        "cstdint": "int_fast64_t uint_fast64_t uint_least64_t int_least64_t",
        "atomic": "atomic atomic_ref memory_order memory_order_relaxed memory_order_acquire "
        "memory_order_release memory_order_acq_rel memory_order_seq_cst",
        "bitset": "bitset",
        "memory": "addressof",
        "numeric": "accumulate gcd lcm iota midpoint reduce transform_reduce inner_product "
        "partial_sum inclusive_scan exclusive_scan adjacent_difference",
        "variant": "variant visit monostate holds_alternative get_if",
        "concepts": "integral signed_integral unsigned_integral floating_point same_as "
        "convertible_to derived_from common_with assignable_from swappable constructible_from "
        "equality_comparable totally_ordered copyable movable semiregular regular invocable",
    }
)
#: Those of them that are namespaces.
_NAMESPACES = frozenset(("chrono", "numbers"))
#: Those that libcu++ itself declares in namespace std, for structured bindings.
_THERE = frozenset(("tuple_size", "tuple_element"))
#: Algorithms, which `--expt-relaxed-constexpr` lets device code call: each has a header of its own.
_ALGORITHMS = words(
    """
    adjacent_find all_of any_of binary_search copy copy_backward copy_if copy_n count count_if
    equal equal_range fill fill_n find find_if find_if_not for_each for_each_n generate
    generate_n includes is_sorted iter_swap lexicographical_compare lower_bound make_heap
    max_element merge min_element minmax minmax_element mismatch none_of nth_element
    partial_sort partition partition_point pop_heap push_heap remove remove_if replace
    replace_if reverse reverse_copy rotate search sort sort_heap stable_sort swap_ranges
    transform unique upper_bound
    """
)
_TRAIT = pattern(
    r"(?:is|has|add|remove)_\w+|make_(?:un)?signed(?:_t)?|invoke_result\w*|underlying_type\w*|(?:con|dis)junction\w*"
    r"|negation\w*|type_identity\w*|common_type\w*|extent\w*|rank\w*"
)

#: Thrust's device side. A name without a slash is a header of ours, in `headers/`.
_THRUST = by_word(
    {
        "thrust_tuple.h": "tuple pair get tie make_tuple make_pair swap tuple_element tuple_size",
        "thrust_functional.h": "plus minus multiplies divides modulus negate square equal_to "
        "not_equal_to greater less greater_equal less_equal logical_and logical_or logical_not "
        "bit_and bit_or bit_xor identity maximum minimum project1st project2nd not_fn "
        "unary_function binary_function",
        "thrust_complex.h": "complex",
        "thrust_seq.h": "seq device_ptr raw_pointer_cast device_pointer_cast raw_reference_cast "
        "min max sort stable_sort sort_by_key stable_sort_by_key reduce transform_reduce "
        "inner_product min_element max_element lower_bound upper_bound binary_search "
        "fill fill_n copy copy_n copy_if transform for_each for_each_n count count_if "
        "find find_if any_of none_of all_of equal inclusive_scan exclusive_scan "
        "unique remove_if reverse sequence",
        "thrust_random.h": "default_random_engine minstd_rand minstd_rand0 taus88 ranlux24 "
        "ranlux48 uniform_real_distribution uniform_int_distribution normal_distribution random "
        "linear_congruential_engine xor_combine_engine discard_block_engine",
        "thrust_vectors.h": "device_vector host_vector universal_vector device_allocator "
        "device_malloc_allocator device_new_allocator",
        "thrust/iterator/iterator_facade.h": "iterator_facade",
        "thrust/iterator/iterator_adaptor.h": "iterator_adaptor",
        "thrust/iterator/zip_iterator.h": "zip_iterator make_zip_iterator",
        "thrust/iterator/counting_iterator.h": "counting_iterator make_counting_iterator",
        "thrust/iterator/constant_iterator.h": "constant_iterator make_constant_iterator",
        "thrust/iterator/transform_iterator.h": "transform_iterator make_transform_iterator",
        "thrust/iterator/permutation_iterator.h": "permutation_iterator make_permutation_iterator",
    }
)

#: CUB's block, warp and thread level: <cub/cub.cuh> itself is the host's.
_CUB = by_word(
    {
        "cub/block/block_adjacent_difference.cuh": "BlockAdjacentDifference",
        "cub/block/block_discontinuity.cuh": "BlockDiscontinuity",
        "cub/block/block_exchange.cuh": "BlockExchange",
        "cub/block/block_histogram.cuh": "BlockHistogram BlockHistogramAlgorithm "
        "BLOCK_HISTO_SORT BLOCK_HISTO_ATOMIC",
        "cub/block/block_load.cuh": "BlockLoad BlockLoadAlgorithm LoadDirectBlocked "
        "LoadDirectBlockedVectorized LoadDirectStriped LoadDirectWarpStriped BLOCK_LOAD_DIRECT "
        "BLOCK_LOAD_STRIPED BLOCK_LOAD_VECTORIZE BLOCK_LOAD_TRANSPOSE BLOCK_LOAD_WARP_TRANSPOSE",
        "cub/block/block_merge_sort.cuh": "BlockMergeSort",
        "cub/block/block_radix_rank.cuh": "BlockRadixRank BlockRadixRankMatch",
        "cub/block/block_radix_sort.cuh": "BlockRadixSort",
        "cub/block/block_reduce.cuh": "BlockReduce BlockReduceAlgorithm "
        "BLOCK_REDUCE_RAKING BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY BLOCK_REDUCE_WARP_REDUCTIONS",
        "cub/block/block_run_length_decode.cuh": "BlockRunLengthDecode",
        "cub/block/block_scan.cuh": "BlockScan BlockScanAlgorithm BLOCK_SCAN_RAKING "
        "BLOCK_SCAN_RAKING_MEMOIZE BLOCK_SCAN_WARP_SCANS",
        "cub/block/block_shuffle.cuh": "BlockShuffle",
        "cub/block/block_store.cuh": "BlockStore BlockStoreAlgorithm StoreDirectBlocked "
        "StoreDirectBlockedVectorized StoreDirectStriped StoreDirectWarpStriped "
        "BLOCK_STORE_DIRECT BLOCK_STORE_STRIPED BLOCK_STORE_VECTORIZE BLOCK_STORE_TRANSPOSE "
        "BLOCK_STORE_WARP_TRANSPOSE",
        "cub/warp/warp_exchange.cuh": "WarpExchange",
        "cub/warp/warp_load.cuh": "WarpLoad",
        "cub/warp/warp_merge_sort.cuh": "WarpMergeSort",
        "cub/warp/warp_reduce.cuh": "WarpReduce",
        "cub/warp/warp_scan.cuh": "WarpScan",
        "cub/warp/warp_store.cuh": "WarpStore",
        "cub_operators.h": "Sum Difference Division Max Min ArgMax ArgMin Equality Inequality "
        "KeyValuePair ReduceByKeyOp",
        "cub_legacy.h": "LaneId WarpId LaneMaskLt LaneMaskLe LaneMaskGt LaneMaskGe BFI PRMT "
        "SHR_ADD SHL_ADD IADD3 ThreadTrap CTA_SYNC CTA_SYNC_AND CTA_SYNC_OR WARP_SYNC WARP_ALL "
        "WARP_ANY WARP_BALLOT Int2Type If Equals",
    }
)
#: Namespaces of which tables say what stands where.
LIBRARIES = ("cub", "thrust")
_TABLES = {"thrust": _THRUST, "cub": _CUB}
#: What stands in for all of a library where one of its names is in no table.
_WHOLE = {"cub": "cub.h"}


def libcxx(name: str) -> str | None:
    """libcu++'s header that has a name of namespace std, or None."""
    header = _LIBCXX.get(name) or ("type_traits" if _TRAIT.fullmatch(name) else None)
    if name in _ALGORITHMS:
        header = f"__algorithm/{name}.h"
    return None if header is None else f"cuda/std/{header}"


def imported(names: Iterable[str]) -> str:
    """What lets namespace std have these names of libcu++'s, and none beside them.

    All of them at once, as `headers/std.h` has them, are ambiguous to a source that uses
    namespace std.
    """
    uses = "".join(
        f"namespace {name} = ::cuda::std::{name};\n"
        if name in _NAMESPACES
        else f"using ::cuda::std::{name};\n"
        for name in sorted(set(names) - _THERE)
    )
    return f"#pragma once\nnamespace std {{\n{uses}}}\n"


#: A name of CUB's which says by itself whose it is.
_OF_CUB = pattern(r"(?:Block|Warp)[A-Z]\w*")


def known_headers(library: str, names: Iterable[str]) -> frozenset[str]:
    """The headers of `cub` or `thrust` that have these names, as far as a table has them."""
    table = _TABLES[library]
    return frozenset(table[name] for name in names if name in table)


def unqualified(library: str, words: Iterable[str]) -> frozenset[str]:
    """Those of the words that mean a library's, where a source uses its namespace."""
    table = _TABLES[library] if library == "cub" else {}
    return frozenset(word for word in words if word in table and _OF_CUB.fullmatch(word))


def headers_of(library: str, names: Iterable[str]) -> frozenset[str]:
    """The headers of `cub` or `thrust` that have these names; {} for any other namespace."""
    table, whole = _TABLES.get(library, {}), _WHOLE.get(library)
    found = {table.get(name, whole) for name in names}
    return frozenset(header for header in found if header is not None)
