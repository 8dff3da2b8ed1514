import { useEffect, useState } from 'preact/hooks';
import { ApiError, type Page } from '../../client/index.ts';

export const SIZES = [50, 100, 200] as const;

/** The cursors of the pages up to the one that is shown; the first page has none. */
type Trail = (string | undefined)[];
const FIRST: Trail = [undefined];

interface Answer<Item> {
  to: string;
  page?: Page<Item>;
  error?: unknown;
}

/**
 * A list, page by page. `question` is what makes it this list and not another: when it changes, what was asked before is
 * aborted, and its answer is never shown. The page before stays until the next one is there.
 */
export function useList<Item>(
  question: string,
  ask: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Item>>,
) {
  const [walk, setWalk] = useState({ question, trail: FIRST });
  const [attempt, setAttempt] = useState(0);
  const [answer, setAnswer] = useState<Answer<Item>>({ to: '' });
  const trail = walk.question === question ? walk.trail : FIRST;
  const goTo = (trail: Trail) => setWalk({ question, trail });
  if (walk.question !== question) goTo(FIRST);
  const wanted = JSON.stringify([question, trail.at(-1), attempt]);

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const answered = (answer: Answer<Item>) => {
      if (!signal.aborted) setAnswer(answer);
    };
    ask(trail.at(-1), signal).then(
      (page) => answered({ to: wanted, page }),
      (error: unknown) => answered({ to: wanted, error }),
    );
    return () => controller.abort();
  }, [wanted]);

  const isLoading = answer.to !== wanted;
  const next = isLoading ? undefined : answer.page?.nextCursor; // a cursor belongs to its list
  const reload = () => setAttempt((attempt) => attempt + 1);
  return {
    items: answer.page?.data,
    error: answer.error,
    isLoading,
    reload,
    retry() {
      // A cursor that is refused is refused again.
      if (answer.error instanceof ApiError && answer.error.status === 400) goTo(FIRST);
      reload();
    },
    pageNumber: trail.length,
    toPrevious: trail.length > 1 ? () => goTo(trail.slice(0, -1)) : undefined,
    toNext: next ? () => goTo([...trail, next]) : undefined,
  };
}
