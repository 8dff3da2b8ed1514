import type { ComponentType } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { Link } from '../router/link.tsx';
import { usePlace } from '../router/place.ts';
import { focusHeading } from '../ui/dialog.tsx';
import { Failure } from '../ui/failure.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import type { LoadPage, Section } from './section.ts';

/** The pages that have been loaded. */
const loaded = new Map<LoadPage, ComponentType<{ id: string }>>();

const load = async (page: LoadPage) => {
  if (!loaded.has(page)) loaded.set(page, (await page()).default);
};

/** The page of the current address. It is recreated when the path changes, but not when only the query changes. */
export function CurrentPage({ sections }: { sections: Section[] }) {
  const { path } = usePlace();
  const [name, id = '', ...rest] = path.split('/');
  const section = sections.find(({ path }) => path === name && rest.length === 0);
  const page = id ? section?.item : section?.page;
  const [, setSettled] = useState<string>();
  const [error, setError] = useState<unknown>();
  const Page = page && loaded.get(page);
  useEffect(() => {
    setError(undefined);
    if (!page || Page) return; // a page that arrived after this rendering has to be rendered, too
    let isCurrent = true;
    load(page).then(
      () => isCurrent && setSettled(path),
      (error: unknown) => isCurrent && setError(error),
    );
    return () => void (isCurrent = false);
  }, [page]);
  useLayoutEffect(() => {
    if (Page) focusHeading(); // the focused element is gone
  }, [path, Page]);
  useEffect(() => {
    if (!Page) return;
    // A new version of the service, whose files have other names, must not end the session.
    const pages = sections.flatMap(({ page, item }) => (item ? [page, item] : [page]));
    Promise.all(pages.map(load)).catch(() => {});
  }, [path, Page]);

  if (!page) return <NotFound />;
  if (Page) return <Page key={path} id={id} />;
  if (error === undefined) return <Skeleton />;
  return (
    <Failure error={new Error('This page could not be loaded. Reload the dashboard and sign in again.')} />
  );
}

const NotFound = () => (
  <>
    <div class="heading">
      <h1 tabIndex={-1}>Nothing is here</h1>
    </div>
    <p class="quiet lead">
      The dashboard has no page at this address. <Link to="">Go to the first page</Link>
    </p>
  </>
);
