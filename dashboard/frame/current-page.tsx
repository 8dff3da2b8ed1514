import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Link } from '../router/link.tsx';
import type { PageProps } from '../router/page-props.ts';
import { usePlace } from '../router/place.ts';
import { type Route, routeOf, ROUTES } from '../routes.ts';
import { focusHeading } from '../ui/dialog.tsx';
import { Failure } from '../ui/failure.tsx';
import { Skeleton } from '../ui/skeleton.tsx';

/** The pages that have been loaded. */
const loaded = new Map<Route, ComponentType<PageProps>>();

const load = async (route: Route) => {
  if (!loaded.has(route)) loaded.set(route, await route.load());
};

/** The page of the current address. It is recreated when the path changes, but not when only the query changes. */
export function CurrentPage() {
  const { path } = usePlace();
  const { route, id = '' } = routeOf(path) ?? {};
  const [, setSettled] = useState<Route>();
  const [error, setError] = useState<unknown>();
  const Page = route && loaded.get(route);
  useEffect(() => {
    setError(undefined);
    if (!route || Page) return; // a page that arrived after this rendering has to be rendered, too
    let isCurrent = true;
    load(route).then(
      () => isCurrent && setSettled(route),
      (error: unknown) => isCurrent && setError(error),
    );
    return () => void (isCurrent = false);
  }, [route]);
  useEffect(() => {
    if (!Page) return;
    focusHeading(); // the focused element is gone
    // A new version of the service, whose files have other names, must not end the session.
    Promise.all(ROUTES.map(load)).catch(() => {});
  }, [path, Page]);

  if (!route) return <NotFound />;
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
