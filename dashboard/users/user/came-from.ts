interface ShownList {
  /** The users on the page of the list that was shown, in its order. */
  ids: string[];
  /** The list with its filter and order, such as `users?role=admin`. */
  href: string;
}

let last: ShownList | undefined;

/** Keeps what the list of users shows, for the page of a user that is opened from it. */
export function rememberList(shown: ShownList): void {
  last = shown;
}

/** The neighbours of a user in the list that was shown last; undefined if the user was not in it. */
export function listAround(id: string): { previous?: string; next?: string; href: string } | undefined {
  const at = last?.ids.indexOf(id) ?? -1;
  if (!last || at < 0) return undefined;
  return { previous: last.ids[at - 1], next: last.ids[at + 1], href: last.href };
}
