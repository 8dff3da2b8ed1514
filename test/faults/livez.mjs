// Watches how soon /livez is answered.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** What an orchestrator waits for is a multiple of this. */
export const MAX_LIVEZ_MS = 500;

export async function watchLivez(url) {
  const worker = new Worker(new URL('livez.worker.mjs', import.meta.url), { workerData: { url } });
  await once(worker, 'online');
  return {
    /** The longest time and the failures since the last call. Waits for what has not been answered. */
    async look() {
      worker.postMessage('look');
      const [seen] = await once(worker, 'message');
      return seen;
    },
    stop: () => worker.terminate(),
  };
}
