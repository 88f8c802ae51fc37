// The source beside every view: a line shows its operations, an operation its line.

class SourcePanel {
  /** Takes over the table that the page came with. */
  constructor(pane, section) {
    this.pane = pane;
    this.box = section.cloneNode(true);
    this.box.removeAttribute('id');
    this.box.setAttribute('aria-label', `Source, ${pane.name}`);
    this.box.querySelector('.lines').setAttribute('aria-label', `Source lines, ${pane.name}`);
    this.rows = new Map();
    this.ptx = false;
    for (const row of this.box.querySelectorAll('tr[data-at]')) {
      this.rows.set(row.dataset.at, row);
      row.said = Array.from(row.querySelectorAll('td.figure'), (cell) => cell.textContent);
      row.heat = row.className;
      row.addEventListener('click', () => this.choose(row.dataset.at));
    }
    this.button = element('button', { type: 'button', 'aria-pressed': 'false', on: {
      click: () => {
        this.ptx = !this.ptx;
        this.button.setAttribute('aria-pressed', String(this.ptx));
        this.mark();
      } } }, 'PTX');
    this.box.querySelector('.sourcehead').append(this.button);
    this.box.addEventListener('keydown', (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const button = event.target.closest('button.number');
      if (!step || !button) return;
      const all = [...this.box.querySelectorAll('button.number')];
      const next = all[all.indexOf(button) + step];
      if (next) {
        next.focus();
        event.preventDefault();
      }
    });
  }

  /** Go to the first operation of a line, an access to memory if there is one. */
  choose(key) {
    const { pane } = this;
    const { trace } = pane;
    const { instructions } = trace.data;
    const { position } = trace.stepsOf(pane.whole());
    const at = (p) => `${instructions[p].source}:${instructions[p].line}` === key;
    const accesses = new Set([...trace.requestsOf(pane.whole())].map((i) => trace.step[i]));
    const steps = [];
    position.forEach((p, step) => { if (at(p)) steps.push(step); });
    if (!steps.length) {
      say(`line ${key.split(':')[1]}: not executed by this warp`);
      return;
    }
    const found = steps.filter((step) => accesses.has(step));
    const deep = pane.level === 'operation' && found.length;
    pane.go({ step: (found.length ? found : steps)[0], level: deep ? 'operation' : 'warp' });
    say(`line ${key.split(':')[1]}: ${counted(steps.length, 'operation')} of this warp, `
      + `${counted(found.length, 'access', 'accesses')} to memory`);
  }

  /** Mark the line of the operation chosen. */
  mark() {
    for (const row of this.box.querySelectorAll('tr.chosen')) row.classList.remove('chosen');
    for (const row of this.box.querySelectorAll('tr.ptx')) row.remove();
    const key = this.pane.lineOf(this.pane.step);
    const row = this.rows.get(key);
    if (!row) return;
    row.classList.add('chosen');
    if (this.ptx) row.after(...this.instructions(key));
    if (this.box.offsetParent === null) return;
    const box = this.box.querySelector('.lines');
    const top = row.offsetTop;
    if (top < box.scrollTop + 30 || top + row.offsetHeight > box.scrollTop + box.clientHeight) {
      box.scrollTop = Math.max(0, top - box.clientHeight / 3);
    }
  }

  instructions(key) {
    const { instructions } = this.pane.trace.data;
    const now = this.pane.trace.stepsOf(this.pane.whole()).position[this.pane.step];
    const out = [];
    instructions.forEach((each, p) => {
      if (`${each.source}:${each.line}` !== key || out.length > 400) return;
      out.push(element('tr', { class: p === now ? 'ptx now' : 'ptx' }, element('td', { colspan: '5' }),
        element('td', {}, element('code', {}, each.text.replace(/\s+/g, ' ')))));
    });
    return out;
  }

  /** The figures on an architecture: the profile's own, or computed of the traced requests. */
  figures(arch) {
    const { trace } = this.pane;
    const own = arch.name === trace.data.profile.arch;
    const sectors = arch.coalescing_rule === 'sectors32';
    const [head] = this.box.querySelectorAll('th.served');
    head.textContent = sectors ? 'Sectors / request' : 'Transactions / request';
    const found = own ? null : trace.sums(arch);
    for (const [key, row] of this.rows) {
      const cells = row.querySelectorAll('td.figure');
      if (own) {
        row.className = row.heat;
        cells.forEach((cell, i) => { cell.textContent = row.said[i]; });
      } else {
        const sum = found.lines.get(key);
        const heat = SourcePanel.fill(cells, sum, found.total, sectors);
        row.className = row.heat.replace(/heat-\d+/, `heat-${heat}`);
      }
    }
    this.mark();
  }

  /** Write a line's figures into its cells; the heat, from 0 to 10. */
  static fill(cells, sum, total, sectors) {
    const [excess, served, waves] = cells;
    excess.textContent = '';
    served.textContent = '';
    waves.textContent = '';
    if (!sum) return 0;
    const shares = [];
    if (sum.requests) {
      const ideal = sectors ? ` (${shown(sum.least / SECTOR / sum.requests)})` : '';
      served.textContent = `${shown(sum.count / sum.requests)}${ideal}`;
      shares.push(total.moved ? (sum.moved - sum.least) / total.moved : 0);
    }
    if (sum.shared) {
      waves.textContent = `${shown(sum.waves / sum.shared)} (${shown(sum.golden / sum.shared)})`;
      shares.push(total.waves ? (sum.waves - sum.golden) / total.waves : 0);
    }
    const most = Math.max(0, ...shares);
    excess.textContent = shares.length ? `${shown(100 * most)} %` : '';
    return Math.round(10 * clamped(most));
  }
}
