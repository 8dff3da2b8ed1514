/** The properties of every page. */
export interface PageProps {
  /** The id in the address; empty where the route has none. */
  id: string;
}
