// Time on the time line: milliseconds of the run, without interruptions.

export class Clock {
  constructor({ root, cuts }) {
    this.start = root.start;
    this.cuts = cuts;
    this.length = Math.max(this.at(root.end), 1);
  }

  at(time) {
    let lost = 0;
    for (const { from, to } of this.cuts) {
      if (time <= from) break;
      lost += Math.min(time, to) - from;
    }
    return Math.max(time - this.start - lost, 0);
  }

  /** The times at which the run was resumed. */
  get resumptions() {
    return this.cuts.map(({ to }) => this.at(to));
  }
}
