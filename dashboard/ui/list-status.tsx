interface Props {
  list: { items?: unknown[]; isLoading: boolean; error: unknown };
  one: string;
  many: string;
}

/** How many are shown, for eyes and ears. */
export function ListStatus({ list, one, many }: Props) {
  const { items, isLoading, error } = list;
  const count = items?.length === 1 ? `1 ${one}` : `${items?.length || 'No'} ${many}`;
  return (
    <p class="quiet status" role="status">
      {isLoading ? 'Loading …' : error === undefined ? `${count} on this page` : ''}
    </p>
  );
}
