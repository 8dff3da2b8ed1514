import { useEffect, useRef, useState } from 'preact/hooks';
import type { Event, ListEventsQuery } from '../../client/index.ts';
import { type RateLimit, useSession } from '../session/session.ts';
import type { EndlessList } from '../ui/use-endless-list.ts';

const EVERY_MS = 25_000;
const MAX_NEWS = 20;

/** Below this part of the rate limit, what is left of it is for what people do. */
const RESERVE = 1 / 4;

const isScarce = (limit: RateLimit | undefined) =>
  limit !== undefined && limit.resetsAt > Date.now() && limit.remaining < limit.limit * RESERVE;

/** Looks for events that are newer than those of a list, while the page is visible and nothing else is loaded. */
export function useNews(list: EndlessList<Event>, query: ListEventsQuery) {
  const { client, rateLimit } = useSession();
  const key = JSON.stringify(query);
  const [found, setFound] = useState<{ key: string; events: Event[] }>({ key, events: [] });
  const newest = list.items[0]?.sequence ?? 0;
  const news = found.key === key ? found.events.filter(({ sequence }) => sequence > newest) : [];
  const isMore = news.length > MAX_NEWS;
  const isOver = query.until !== undefined && Date.parse(query.until) <= Date.now();
  const isOn = !list.isLoading && list.error === undefined && !isMore && !isOver;
  const lookedAt = useRef(Date.now());

  useEffect(() => {
    if (!isOn) return;
    const controller = new AbortController();
    const { signal } = controller;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isLooking = false;
    const wait = () => {
      clearTimeout(timer);
      if (!isLooking && !document.hidden && !signal.aborted)
        timer = setTimeout(() => void look(), lookedAt.current + EVERY_MS - Date.now());
    };
    const look = async () => {
      lookedAt.current = Date.now();
      if (!isScarce(rateLimit.get())) {
        isLooking = true;
        const page = client.events.list({ ...query, order: 'desc', limit: MAX_NEWS + 1 }, { signal }).page();
        // After a failure, the next look may succeed, and whatever a person does says what is wrong.
        await page.then(({ data }) => signal.aborted || setFound({ key, events: data })).catch(() => {});
        isLooking = false;
      }
      wait();
    };
    wait();
    document.addEventListener('visibilitychange', wait);
    return () => {
      controller.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', wait);
    };
  }, [isOn, key]);

  return {
    /** “3 new”; undefined if there are none. */
    text: news.length === 0 ? undefined : isMore ? `${MAX_NEWS}+ new` : `${news.length} new`,
    /** Shows them: all by themselves if there are more than were found. */
    show: () => (isMore ? list.reload() : list.prepend(news)),
  };
}
