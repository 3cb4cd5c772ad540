/** What one import name weighs, in bytes. */
export interface Size {
  /** Such as `@mintmark/core/http`. */
  readonly subpath: string
  /** With what it needs, minified and gzipped; without the host's own packages. */
  readonly bundled: number
  /** The tarball of the package, which all of its import names share; it stands at the first of them. */
  readonly packed: number | undefined
}

/** A size that rose: a sentence such as `@mintmark/core bundled: 61000 → 64000`. */
export type Growth = string

/** What rose by more than 3 % and 100 bytes, or is new. Sizes that are not measured any more are nobody's growth. */
export function growthOf(recorded: readonly Size[], measured: readonly Size[]): readonly Growth[] {
  return measured.flatMap((size) => {
    const before = recorded.find(({ subpath }) => subpath === size.subpath)
    return measures.flatMap((measure) => {
      const [from = 0, to = 0] = [before?.[measure], size[measure]]
      return to > from * 1.03 + 100 ? [`${size.subpath} ${measure}: ${from} → ${to}`] : []
    })
  })
}

/**
 * What is written down: a number goes down by itself and up only with a reason, so that small growth adds up until somebody
 * must say why.
 */
export function withoutReason(recorded: readonly Size[], measured: readonly Size[]): readonly Size[] {
  return measured.map((size) => {
    const before = recorded.find(({ subpath }) => subpath === size.subpath)
    const least = (measure: keyof Omit<Size, 'subpath'>): number | undefined => {
      const [from, to] = [before?.[measure], size[measure]]
      return from === undefined || to === undefined ? to : Math.min(from, to)
    }
    return { subpath: size.subpath, bundled: least('bundled') ?? size.bundled, packed: least('packed') }
  })
}

const measures = ['bundled', 'packed'] as const
