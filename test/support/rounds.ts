/**
 * Returns how often a test repeats something with other values: a few times in `pnpm test`, and more often in
 * `pnpm test:long`.
 */
export const rounds = ({ fast, long }: { readonly fast: number; readonly long: number }): number =>
  process.env['MINTMARK_ROUNDS'] === 'long' ? long : fast
