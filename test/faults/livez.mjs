// Watches how soon /livez is answered.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** How long the service may work before it answers /livez, whatever it is asked besides. */
export const MAX_LIVEZ_MS = 500;

export async function watchLivez({ url, process }) {
  const worker = new Worker(new URL('livez.worker.mjs', import.meta.url), {
    workerData: { url, pid: process.pid },
  });
  await once(worker, 'online');
  return {
    /**
     * Since the last call: how long an answer has taken at most (`livezMs`), how long the service has worked meanwhile
     * at most (`workedMs`), and the failures. Waits for what has not been answered.
     */
    async look() {
      worker.postMessage('look');
      const [seen] = await once(worker, 'message');
      return seen;
    },
    stop: () => worker.terminate(),
  };
}
