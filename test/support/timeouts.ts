/** Takes the place of `AbortSignal.timeout()`: the time is over when the test says so. */
export function useTimeouts() {
  const running: AbortController[] = [];
  let timeout: jest.SpyInstance<AbortSignal, [ms: number]>;
  beforeEach(() => {
    timeout = jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
      const controller = new AbortController();
      running.push(controller);
      return controller.signal;
    });
  });
  return {
    end(): void {
      for (const controller of running.splice(0))
        controller.abort(new DOMException('It took too long.', 'TimeoutError'));
    },
    /** The times that were set. */
    times: () => timeout.mock.calls.map(([ms]) => ms),
  };
}
