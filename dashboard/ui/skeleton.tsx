/** The outline of a list that is on its way. */
export const Skeleton = () => (
  <div class="skeleton" aria-hidden="true">
    {[1, 2, 3, 4, 5].map((row) => (
      <i key={row} />
    ))}
  </div>
);
