import { withoutFences } from './fence.ts'
import type { Page } from './page.ts'

/** The anchor that GitHub, and our site, give to a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')

/** Every anchor of a page: those of its headings, numbered where two are alike, and those that are written out. */
export function anchorsOf({ text }: Page): ReadonlySet<string> {
  const prose = withoutFences(text)
  const seen = new Map<string, number>()
  const ofHeadings = [...prose.matchAll(/^#{1,6} +(.+?) *#*$/gm)].map(([, heading = '']) => {
    const anchor = anchorOf(heading)
    const count = seen.get(anchor) ?? 0
    seen.set(anchor, count + 1)
    return count === 0 ? anchor : `${anchor}-${count}`
  })
  const written = [...prose.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, anchor = '']) => anchor)
  return new Set([...ofHeadings, ...written])
}
