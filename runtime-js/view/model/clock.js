// Time as the time line shows it: milliseconds of the run, without the whiles in which it was interrupted.

export class Clock {
  constructor({ root, cuts }) {
    this.start = root.start;
    this.cuts = cuts;
    this.length = Math.max(this.at(root.end), 1);
  }

  /** Milliseconds into the run. */
  at(time) {
    let lost = 0;
    for (const { from, to } of this.cuts) {
      if (time <= from) break;
      lost += Math.min(time, to) - from;
    }
    return Math.max(time - this.start - lost, 0);
  }

  /** Where the run went on. */
  get seams() {
    return this.cuts.map(({ to }) => this.at(to));
  }
}
