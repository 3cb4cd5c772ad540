import { readFileSync } from 'node:fs'

import { describe, expect, it } from 'vitest'

import { entryFiles } from '../../scripts/reference/public-api.ts'
import { growthOf, withoutReason, type Size } from '../../scripts/sizes/size.ts'
import { parseSizesPage, renderSizesPage } from '../../scripts/sizes/sizes-page.ts'

const size = (subpath: string, bundled: number, packed?: number): Size => ({ subpath, bundled, packed })

describe('package sizes', () => {
  it('the page matches what the command writes', () => {
    const text = readFileSync('docs/reference/sizes.md', 'utf8')

    const page = parseSizesPage(text)

    expect(renderSizesPage(page)).toBe(text)
    expect(page.sizes.length).toBeGreaterThan(20)
    expect(page.reasons).not.toEqual([])
  })

  it('every export path has a line', () => {
    const exported = entryFiles()

    const { sizes } = parseSizesPage(readFileSync('docs/reference/sizes.md', 'utf8'))

    expect(new Set(sizes.map(({ subpath }) => subpath))).toEqual(new Set(exported.map(({ name }) => name)))
  })

  it('growth by more than 3 % and 100 bytes, and a new entry, need a reason', () => {
    const recorded = [size('a', 10_000, 50_000), size('b', 10_000)]

    expect(growthOf(recorded, [size('a', 10_400, 51_600), size('b', 9000)])).toEqual([])
    expect(growthOf(recorded, [size('a', 10_401, 51_601), size('c', 101)])).toEqual([
      'a bundled: 10000 → 10401',
      'a packed: 50000 → 51601',
      'c bundled: 0 → 101',
    ])
  })

  it('without a reason a size may only shrink', () => {
    const recorded = [size('a', 1000, 5000), size('b', 1000), size('gone', 1)]

    expect(withoutReason(recorded, [size('a', 900, 5001), size('b', 1001)])).toEqual([
      size('a', 900, 5000),
      size('b', 1000),
    ])
  })
})
