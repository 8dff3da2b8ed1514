import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { createStore, useStore } from '../store.ts';
import { dashboardUrl, hrefOf } from './address.ts';

/** The current address of the page. */
export interface Place {
  /** Below the dashboard's address, such as `users/usr_…`; empty for the first page. */
  path: string;
  /** Without the question mark. */
  query: string;
  /** The state that the page keeps with this entry of the browser's history. */
  state: unknown;
}

interface Entry {
  /** Numbers the entries of the history, so that the page can return to one. */
  index: number;
  state?: unknown;
}

const entry = () => history.state as Entry;

const currentPlace = (): Place => ({
  path: location.pathname.slice(new URL(dashboardUrl).pathname.length).replace(/^\//, ''),
  query: location.search.slice(1),
  state: entry().state,
});

if (history.state === null) history.replaceState({ index: 0 }, '');

const place = createStore(currentPlace());
let index = entry().index;

/** Does what was asked for after all. */
type Leave = () => void;

/** The functions that replace Back and Forward, the last one first. */
const guards: { current: (leave: Leave) => void }[] = [];
/** Those of them that replace links to other pages, too. */
const questions: typeof guards = [];
let isReturning = false;
let isLeaving = false;

addEventListener('popstate', () => {
  if (isReturning) return void (isReturning = false);
  if (history.state === null) return history.replaceState({ index: ++index }, ''); // a fragment was typed
  const guard = isLeaving ? undefined : guards.at(-1);
  isLeaving = false;
  if (!guard) {
    index = entry().index;
    return place.set(currentPlace());
  }
  isReturning = true;
  const steps = entry().index - index || -1;
  history.go(-steps);
  guard.current(() => {
    isLeaving = true;
    history.go(steps);
  });
});

interface Options {
  /** Whether the new place replaces the old one in the browser's history. */
  replace?: boolean;
  /** Whether it leaves a page without the question that the page would ask. */
  isUnasked?: boolean;
  state?: unknown;
}

/** Goes to a path below the dashboard's address, such as `users/usr_…` or `users?role=admin`. */
export function navigate(to: string, options?: Options): void {
  const isSamePath = to.split('?')[0] === place.get().path;
  const question = isSamePath || options?.isUnasked ? undefined : questions.at(-1);
  if (question) question.current(() => go(to, isSamePath, options));
  else go(to, isSamePath, options);
}

function go(to: string, isSamePath: boolean, { replace = false, state }: Options = {}): void {
  if (replace) history.replaceState({ index, state }, '', hrefOf(to));
  else history.pushState({ index: ++index, state }, '', hrefOf(to));
  place.set(currentPlace());
  if (!isSamePath) scrollTo(0, 0);
}

/** Adds an entry to the browser's history that differs only in the state that the page stores with it. */
export function keepInPlace(state: unknown): void {
  history.pushState({ index: ++index, state }, '');
  place.set(currentPlace());
}

/** The parameters in the query of the address, and a function that changes some of them; undefined leaves one out. */
export function useQuery() {
  const { path, query } = usePlace();
  const change = (changes: Record<string, string | undefined>) => {
    const { path, query } = place.get();
    const parameters = new URLSearchParams(query);
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined) parameters.delete(name);
      else parameters.set(name, value);
    }
    navigate(parameters.size > 0 ? `${path}?${parameters}` : path, { replace: true });
  };
  // A page that is about to be replaced sees the query of the next one.
  const [own] = useState(path);
  const last = useRef(query);
  if (own === path) last.current = query;
  return [new URLSearchParams(last.current), change] as const;
}

/** Calls `open` if the address asks for the dialog that creates something: `users?new`. */
export function useNew(open: () => void): void {
  const [parameters, change] = useQuery();
  const isAsked = parameters.has('new');
  useEffect(() => {
    if (!isAsked) return;
    change({ new: undefined });
    open();
  }, [isAsked]);
}

export const usePlace = () => useStore(place);

/** While the component is shown, Back and Forward call `onBack` and leave the page where it is. */
export function useBack(onBack: () => void): void {
  useGuard([guards], onBack);
}

/** While there is such a function, Back, Forward and links to other pages call it with the function that leaves. */
export function useLeaving(ask: ((leave: Leave) => void) | undefined): void {
  useGuard([guards, questions], ask);
}

function useGuard(lists: (typeof guards)[], call: ((leave: Leave) => void) | undefined): void {
  const guard = useRef<(leave: Leave) => void>(() => {});
  if (call) guard.current = call;
  const isOn = call !== undefined;
  useLayoutEffect(() => {
    if (!isOn) return;
    for (const list of lists) list.push(guard);
    return () => {
      for (const list of lists) list.splice(list.indexOf(guard), 1);
    };
  }, [isOn]);
}
