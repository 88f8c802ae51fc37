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

/** A warp's operations: names, lanes, and what its requests cost on an architecture. */
function operations(trace, warp, arch) {
  const key = `${arch.name} ${warp}`;
  trace.known ||= new Map();
  let found = trace.known.get(key);
  if (found) return found;
  const steps = trace.stepsOf(warp);
  const { instructions } = trace.data;
  const names = Array.from(steps.position, (p) => instructions[p].name);
  const lanes = Float64Array.from(steps.lanes);
  const conflicts = new Map();
  const sizes = new Map();
  const asked = new Map();
  for (const i of trace.requestsOf(warp)) {
    const step = trace.step[i];
    const cost = trace.cost(i, arch);
    const mask = trace.lanes[trace.pattern[i]];
    asked.set(step, ((asked.get(step) || 0) | mask) >>> 0);
    if (cost.sizes) sizes.set(step, (sizes.get(step) || []).concat(cost.sizes));
    else conflicts.set(step, (conflicts.get(step) || 0) + cost.conflicts);
  }
  for (let step = 0; step < lanes.length; step += 1) {
    if (instructions[steps.position[step]].guarded) lanes[step] = asked.get(step) || 0;
  }
  found = { length: names.length, names, lanes, conflicts, sizes };
  if (trace.known.size > 20000) trace.known.clear();
  trace.known.set(key, found);
  return found;
}

const NONE = [];

/** Equation (3): transactions' sizes, pair by pair. */
function globalDifference(a, b) {
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
    instruction: weights.instruction * (a.names[step] === b.names[step] ? 0 : 1),
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

/** Lights of warp `b` beside representative `a`: a row for each `each` operations, the mean of what
 * is clamped to [0, 1]; null where `b` has ended. */
function lights(a, b, rows, each, weights, part) {
  const out = [];
  for (let row = 0; row < rows; row += 1) {
    let sum = 0;
    let count = 0;
    for (let step = row * each; step < Math.min(b.length, (row + 1) * each); step += 1) {
      sum += clamped(PARTS[part](difference(a, b, step, weights)));
      count += 1;
    }
    out.push(count ? sum / count : null);
  }
  return out;
}
