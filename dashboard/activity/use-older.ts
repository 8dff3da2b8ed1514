import { useEffect, useRef } from 'preact/hooks';

/** The next page is fetched before its place comes into view. */
const AHEAD = '600px';

interface Loaded {
  key: string;
  items: number;
  rows: number;
}

/**
 * Fetches older entries when the button for them comes into view. Not after a page that has only made the last row
 * longer: an import of many users would be read as a whole before anything else comes into view.
 */
export function useOlder({ key, items, rows }: Loaded, toMore: (() => void) | undefined) {
  const ref = useRef<HTMLButtonElement>(null);
  const before = useRef<Loaded>({ key, items: 0, rows: 0 });
  useEffect(() => {
    if (!toMore || !ref.current) return;
    const { key: last, ...was } = before.current;
    if (last === key && items > was.items && rows === was.rows) return;
    const observer = new IntersectionObserver(
      ([{ isIntersecting }]) => {
        if (!isIntersecting) return;
        before.current = { key, items, rows };
        toMore();
      },
      { rootMargin: AHEAD },
    );
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, [key, items, rows, toMore === undefined]);
  return ref;
}
