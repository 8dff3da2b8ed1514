import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { Link } from '../router/link.tsx';
import { usePlace } from '../router/place.ts';
import { may } from '../session/may.tsx';
import { useSession } from '../session/session.ts';
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
  const section = sections.find(({ path }) => path === name);
  const { token } = useSession();
  const isAllowed = may(token, section?.scope ?? 'admin');
  const page = isAllowed && rest.length === 0 && section ? pageAt(section, id) : undefined;
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
    if (Page || !isAllowed) focusHeading(); // the focused element is gone
  }, [path, Page]);
  useEffect(() => {
    if (!Page) return;
    // A new version of the service, whose files have other names, must not end the session.
    const pages = sections.flatMap(({ page, item, named = {} }) =>
      [page, item ?? [], ...Object.values(named)].flat(),
    );
    Promise.all(pages.map(load)).catch(() => {});
  }, [path, Page]);

  if (!isAllowed)
    return (
      <NoPage title="Not for you">
        This page needs a scope that you do not have. You have {token.scopes.join(', ')}.
      </NoPage>
    );
  if (!page)
    return (
      <NoPage title="Nothing is here">
        The dashboard has no page at this address. <Link to="">Go to the first page</Link>
      </NoPage>
    );
  if (Page) return <Page key={path} id={id} />;
  if (error === undefined) return <Skeleton />;
  return (
    <Failure error={new Error('This page could not be loaded. Reload the dashboard and sign in again.')} />
  );
}

const pageAt = ({ page, item, named }: Section, id: string) =>
  id === '' ? page : named && Object.hasOwn(named, id) ? named[id] : item;

const NoPage = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <>
    <div class="heading">
      <h1 tabIndex={-1}>{title}</h1>
    </div>
    <p class="quiet lead">{children}</p>
  </>
);
