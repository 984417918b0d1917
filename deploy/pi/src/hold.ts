// Keeps a handler open in a mode where Pi ends as soon as all handlers have returned.

export class Hold {
  private open: (() => void) | undefined;

  get active(): boolean {
    return this.open !== undefined;
  }

  /** Resolves after `length` ms, or when released. The timer keeps the process alive. */
  wait(length: number): Promise<void> {
    this.release();
    return new Promise((resolve) => {
      // Longer than a timer can count is the same as very long.
      const timer = setTimeout(() => this.release(), Math.min(length, 2_147_483_647));
      this.open = () => {
        clearTimeout(timer);
        this.open = undefined;
        resolve();
      };
    });
  }

  release(): void {
    this.open?.();
  }
}
