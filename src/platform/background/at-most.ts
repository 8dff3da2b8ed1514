/** Waits for work, but not for longer than `ms`. Rejects if the work does. */
export async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms).unref()));
  await Promise.race([work, enough]).finally(() => clearTimeout(timer));
}
