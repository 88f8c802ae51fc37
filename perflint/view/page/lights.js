// Grid view and block view: lights that say how much a warp differs from the representative one.

const LIGHT = 7; // pixels from light to light
const DOT = 5;
const HEAD = 14;

class LightsView {
  /** Things of which one is chosen and one is the representative, each with its lights. */
  constructor(pane, name, thing) {
    this.pane = pane;
    this.scroller = new Scroller(this, `${name}, ${pane.name}. Arrows choose a ${thing}, Enter opens it, R makes it `
      + 'the representative one.');
    this.known = new Map();
  }

  get trace() { return this.pane.trace; }

  get rows() {
    return Math.max(1, Math.ceil(this.pane.longest() / this.pane.each));
  }

  forget() {
    this.known.clear();
  }

  /** A frame where a thing is the chosen or the representative one. */
  frame(context, chosen, representative, ...box) {
    if (!chosen && !representative) return;
    context.strokeStyle = styleOf(representative ? '--accent' : '--ink');
    context.lineWidth = representative ? 2 : 1;
    context.setLineDash(chosen && representative ? [4, 2] : []);
    context.strokeRect(...box);
    context.setLineDash([]);
  }
}

class GridView extends LightsView {
  /** Every block: a column of lights for each warp, a row for some operations. */
  constructor(pane) { super(pane, 'Grid', 'block'); }

  lightsOf(block) {
    let found = this.known.get(block);
    if (!found) {
      const { trace, pane } = this;
      found = Array.from({ length: trace.perBlock }, (_, w) => {
        const a = operations(trace, pane.block0 * trace.perBlock + w, pane.arch);
        const b = operations(trace, block * trace.perBlock + w, pane.arch);
        return lights(a, b, this.rows, pane.each, pane.weights, 'warp');
      });
      if (this.known.size > 8192) this.known.clear();
      this.known.set(block, found);
    }
    return found;
  }

  layout(width) {
    const wide = Math.max(this.trace.perBlock * LIGHT, 40) + 14;
    const tall = HEAD + this.rows * LIGHT + 12;
    const columns = Math.max(1, Math.floor((width - 8) / wide));
    return { wide, tall, columns };
  }

  height(width) {
    const { tall, columns } = this.layout(width);
    return Math.ceil(this.trace.blocks.length / columns) * tall + 8;
  }

  draw(context, top, width, height) {
    const { wide, tall, columns } = this.layout(width);
    this.columns = columns;
    const first = Math.max(0, Math.floor((top - 8) / tall)) * columns;
    const last = Math.min(this.trace.blocks.length, Math.ceil((top + height) / tall) * columns);
    const ink = styleOf('--ink');
    const faint = styleOf('--faint');
    for (let block = first; block < last; block += 1) {
      const x = 8 + (block % columns) * wide;
      const y = 6 + Math.floor(block / columns) * tall - top;
      const chosen = block === this.pane.block;
      this.frame(context, chosen, block === this.pane.block0, x - 4, y - 1, wide - 5, tall - 4);
      context.fillStyle = chosen ? ink : faint;
      context.fillText(this.trace.blockName(block), x, y + 10);
      drawLights(context, this.lightsOf(block), x, y + HEAD);
    }
  }

  hit(x, y, width) {
    const { wide, tall, columns } = this.layout(width);
    const column = Math.floor((x - 4) / wide);
    const block = Math.floor((y - 5) / tall) * columns + column;
    if (x < 4 || y < 5 || column >= columns || block >= this.trace.blocks.length) return null;
    const warp = Math.floor((x - 8 - column * wide) / LIGHT);
    const row = Math.floor((y - 6 - HEAD - Math.floor(block / columns) * tall) / LIGHT);
    const inside = warp >= 0 && warp < this.trace.perBlock && row >= 0 && row < this.rows;
    return { block, ...(inside ? { warp, row } : {}) };
  }

  text({ block, warp, row }) {
    const name = `block ${this.trace.blockName(block)}`;
    if (warp === undefined) return `${name}: mean difference ${shown(this.mean(block), 3)}`;
    return `${name}, warp ${warp}, ${range(row, this.pane.each)}: `
      + told(this.lightsOf(block)[warp][row]);
  }

  mean(block) {
    const found = this.lightsOf(block).flat().filter((value) => value !== null);
    return found.reduce((sum, value) => sum + value, 0) / Math.max(1, found.length);
  }

  choose({ block }) { this.pane.go({ block }); }

  open({ block }) { this.pane.go({ block, level: 'block' }); }

  key(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.columns, ArrowDown: this.columns,
      Home: -this.pane.block, End: this.trace.blocks.length }[event.key];
    if (step !== undefined) {
      const block = Math.min(this.trace.blocks.length - 1, Math.max(0, this.pane.block + step));
      this.pane.go({ block });
      say(this.text({ block }));
    } else if (event.key === 'Enter') this.pane.go({ level: 'block' });
    else if (event.key === 'r') this.pane.go({ block0: this.pane.block });
    else return false;
    return true;
  }

  show() {
    const { wide, tall, columns } = this.layout(this.scroller.box.clientWidth || 600);
    this.scroller.draw();
    this.scroller.reveal(Math.floor(this.pane.block / columns) * tall, tall);
    return wide;
  }

  table() {
    return asTable('The chosen block as a table', this.pane.name,
      ['Warp', ...Array.from({ length: this.rows }, (_, row) => range(row, this.pane.each))],
      () => this.lightsOf(this.pane.block).map((column, warp) => [warp, ...column.map(told)]));
  }
}

class BlockView extends LightsView {
  /** A region for each warp, with a column each for threads, shared and global memory. */
  constructor(pane) { super(pane, 'Block', 'warp'); }

  lightsOf(warp) {
    const { trace, pane } = this;
    const key = `${pane.block} ${warp}`;
    let found = this.known.get(key);
    if (!found) {
      const a = operations(trace, pane.block * trace.perBlock + pane.warp0, pane.arch);
      const b = operations(trace, pane.block * trace.perBlock + warp, pane.arch);
      found = ['threads', 'shared', 'global'].map((part) => (
        lights(a, b, this.rows, pane.each, pane.weights, part)));
      this.known.set(key, found);
    }
    return found;
  }

  layout(width) {
    const wide = 74;
    const light = 2 * LIGHT;
    const tall = HEAD + 14 + this.rows * LIGHT + 14;
    return { wide, light, tall, columns: Math.max(1, Math.floor((width - 8) / wide)) };
  }

  height(width) {
    const { tall, columns } = this.layout(width);
    return Math.ceil(this.trace.perBlock / columns) * tall + 8;
  }

  draw(context, top, width) {
    const { wide, tall, columns, light } = this.layout(width);
    this.columns = columns;
    for (let warp = 0; warp < this.trace.perBlock; warp += 1) {
      const x = 10 + (warp % columns) * wide;
      const y = 8 + Math.floor(warp / columns) * tall - top;
      const chosen = warp === this.pane.warp;
      this.frame(context, chosen, warp === this.pane.warp0, x - 5, y - 2, wide - 8, tall - 6);
      context.fillStyle = styleOf(chosen ? '--ink' : '--faint');
      context.fillText(`warp ${warp}`, x, y + 10);
      ['T', 'S', 'G'].forEach((name, i) => {
        context.fillText(name, x + 6 + i * light * 1.3, y + 23);
      });
      drawLights(context, this.lightsOf(warp), x, y + HEAD + 14, light * 1.3, light);
    }
  }

  hit(x, y, width) {
    const { wide, tall, columns, light } = this.layout(width);
    const column = Math.floor((x - 5) / wide);
    const warp = Math.floor((y - 6) / tall) * columns + column;
    if (x < 5 || y < 6 || column >= columns || warp >= this.trace.perBlock) return null;
    const part = Math.floor((x - 10 - column * wide) / (light * 1.3));
    const row = Math.floor((y - 8 - HEAD - 14 - Math.floor(warp / columns) * tall) / LIGHT);
    const inside = part >= 0 && part < 3 && row >= 0 && row < this.rows;
    return { warp, ...(inside ? { part, row } : {}) };
  }

  text({ warp, part, row }) {
    if (part === undefined) return `warp ${warp}`;
    const what = ['active threads', 'shared memory', 'global memory'][part];
    return `warp ${warp}, ${what}, ${range(row, this.pane.each)}: `
      + told(this.lightsOf(warp)[part][row]);
  }

  choose({ warp }) { this.pane.go({ warp }); }

  open({ warp }) { this.pane.go({ warp, level: 'warp' }); }

  key(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.columns, ArrowDown: this.columns }[
      event.key];
    if (step !== undefined) {
      const warp = Math.min(this.trace.perBlock - 1, Math.max(0, this.pane.warp + step));
      this.pane.go({ warp });
      say(this.text({ warp }));
    } else if (event.key === 'Enter') this.pane.go({ level: 'warp' });
    else if (event.key === 'r') this.pane.go({ warp0: this.pane.warp });
    else return false;
    return true;
  }

  show() {
    this.scroller.draw();
  }

  table() {
    const head = ['Warp', 'Operations', 'Threads', 'Shared memory', 'Global memory'];
    return asTable('The block as a table', this.pane.name, head, () => {
      const out = [];
      for (let warp = 0; warp < this.trace.perBlock; warp += 1) {
        const found = this.lightsOf(warp);
        for (let row = 0; row < this.rows; row += 1) {
          out.push([warp, range(row, this.pane.each), ...found.map((column) => told(column[row]))]);
        }
      }
      return out;
    });
  }
}

function range(row, each) {
  return each === 1 ? `operation ${row}` : `operations ${row * each} to ${(row + 1) * each - 1}`;
}

function told(value) {
  return value === null ? 'ended' : shown(value, 3);
}

/** Columns of lights; one that has ended is an outline. */
function drawLights(context, columns, x, y, step = LIGHT, wide = DOT) {
  refreshed();
  context.lineWidth = 1;
  const dot = wide === DOT ? DOT : wide - 2;
  columns.forEach((column, i) => {
    column.forEach((value, row) => {
      if (value === null) {
        context.strokeStyle = palette.faint;
        context.strokeRect(x + i * step + 1.5, y + row * LIGHT + 1.5, dot - 3, DOT - 3);
      } else {
        context.fillStyle = quick(value);
        context.fillRect(x + i * step, y + row * LIGHT, dot, DOT);
      }
    });
  });
}

// Looking a style up for every light would take longer than drawing it.
const palette = { dark: null, faint: '', colours: new Map() };

function refreshed() {
  if (palette.dark !== isDark()) {
    palette.dark = isDark();
    palette.faint = styleOf('--line');
    palette.colours.clear();
  }
  return palette;
}

function quick(value) {
  const { colours } = palette;
  const key = Math.round(value * 255);
  if (!colours.has(key)) colours.set(key, scaled(key / 255));
  return colours.get(key);
}
