// How much two warps differ, by equations (1) to (5) of Rosen's paper (A Visual Approach to
// Investigating Shared and Global Memory Behavior of CUDA Kernels, 5.1.1).

// `idleAlike` is no weight of the paper's: equation (2) takes lanes that are idle in both warps for a
// difference, and with it they are none.
const WEIGHTS = { instruction: 1, threads: 1 / 32, conflicts: 1 / 8, global: 1 / 1024,
  idleAlike: false };

/** Lanes in a mask. */
function bitsOf(mask) {
  let n = mask - ((mask >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return Math.imul((n + (n >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function common(a, b) {
  return (a & b) >>> 0;
}

/** What warps executed that ended at one node: the kind of each instruction, and its lanes. */
function shapeOf(trace, warp) {
  const leaf = trace.leaf[warp];
  let found = trace.shapes.get(leaf);
  if (!found) {
    const { instructions } = trace.data;
    trace.kinds ||= instructions.map((each) => instructions.findIndex((e) => e.name === each.name));
    const { position, lanes } = trace.stepsOf(warp);
    const kinds = Int32Array.from(position, (p) => trace.kinds[p]);
    const guarded = [];
    position.forEach((p, step) => { if (instructions[p].guarded) guarded.push(step); });
    found = { kinds, lanes, guarded, sums: new Map() };
    trace.shapes.set(leaf, found);
  }
  return found;
}

/** A warp's operations: kinds, lanes, and what its requests cost on an architecture. */
function operations(trace, warp, arch) {
  const key = `${arch.name} ${warp}`;
  let found = trace.known.get(key);
  if (found) return found;
  const shape = shapeOf(trace, warp);
  const conflicts = new Map();
  const sizes = new Map();
  const asked = new Map();
  for (const i of trace.requestsOf(warp)) {
    const step = trace.step[i];
    const cost = trace.cost(i, arch);
    const mask = trace.lanes[trace.pattern[i]];
    asked.set(step, ((asked.get(step) || 0) | mask) >>> 0);
    if (cost.sizes) sizes.set(step, sizes.has(step) ? sizes.get(step).concat(cost.sizes) : cost.sizes);
    else conflicts.set(step, (conflicts.get(step) || 0) + cost.conflicts);
  }
  let { lanes } = shape;
  if (shape.guarded.length) {
    lanes = Float64Array.from(lanes);
    for (const step of shape.guarded) lanes[step] = asked.get(step) || 0;
  }
  found = { length: lanes.length, kinds: shape.kinds, lanes, conflicts, sizes, shape };
  if (trace.known.size > 20000) trace.known.clear();
  trace.known.set(key, found);
  return found;
}

const NONE = [];

/** Equation (3): transactions' sizes, pair by pair. */
function globalDifference(a, b) {
  if (a === b) return 0; // requests that lie alike share their costs
  let sum = 0;
  for (let i = 0; i < Math.max(a.length, b.length); i += 1) {
    sum += Math.abs((a[i] || 0) - (b[i] || 0));
  }
  return sum;
}

/** Equation (2). */
function threadDifference(a, b, idleAlike) {
  const most = idleAlike ? bitsOf((a | b) >>> 0) : 32;
  return most - bitsOf(common(a, b));
}

/** The scaled parts of equation (5) for one operation; `b` must have it, `a` may have ended. */
function difference(a, b, step, weights) {
  const shared = Math.abs((a.conflicts.get(step) || 0) - (b.conflicts.get(step) || 0));
  return {
    instruction: weights.instruction * (a.kinds[step] === b.kinds[step] ? 0 : 1),
    threads: weights.threads
      * threadDifference(a.lanes[step] || 0, b.lanes[step], weights.idleAlike),
    shared: weights.conflicts * shared,
    global: weights.global * globalDifference(a.sizes.get(step) || NONE, b.sizes.get(step) || NONE),
  };
}

function clamped(value) {
  return Math.min(1, Math.max(0, value));
}

const PARTS = {
  warp: (d) => d.instruction + d.threads + d.shared + d.global,
  threads: (d) => d.threads,
  shared: (d) => d.shared,
  global: (d) => d.global,
};

/** Sums and counts of rows of operations whose instructions and lanes are those of one shape. */
function alikeSums(shape, each, weights, part) {
  const threads = part === 'warp' || part === 'threads';
  const key = `${each} ${threads} ${weights.threads} ${weights.idleAlike}`;
  let found = shape.sums.get(key);
  if (!found) {
    const rows = Math.ceil(shape.lanes.length / each);
    const { threads: weight, idleAlike } = weights;
    const of = (mask) => (threads ? clamped(weight * threadDifference(mask, mask, idleAlike)) : 0);
    found = { sums: new Float64Array(rows), counts: new Float64Array(rows), of };
    shape.lanes.forEach((mask, step) => {
      const row = Math.floor(step / each);
      found.sums[row] += of(mask);
      found.counts[row] += 1;
    });
    shape.sums.set(key, found);
  }
  return found;
}

/** Lights of warp `b` beside representative `a`: a row for each `each` operations, the mean of what
 * is clamped to [0, 1]; null where `b` has ended. */
function lights(a, b, rows, each, weights, part) {
  const sums = new Float64Array(rows);
  const counts = new Float64Array(rows);
  const of = (step) => clamped(PARTS[part](difference(a, b, step, weights)));
  if (a.shape === b.shape && a.lanes === b.lanes) { // mostly: then only accesses can differ
    const alike = alikeSums(b.shape, each, weights, part);
    sums.set(alike.sums);
    counts.set(alike.counts);
    const steps = new Set([a, b].flatMap((w) => [...w.conflicts.keys(), ...w.sizes.keys()]));
    for (const step of steps) {
      sums[Math.floor(step / each)] += of(step) - alike.of(b.lanes[step]);
    }
  } else {
    for (let step = 0; step < b.length; step += 1) {
      sums[Math.floor(step / each)] += of(step);
      counts[Math.floor(step / each)] += 1;
    }
  }
  return Array.from(sums, (sum, row) => (counts[row] ? Math.max(0, sum) / counts[row] : null));
}
