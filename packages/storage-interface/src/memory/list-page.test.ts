import { expect, test } from 'vitest'
import type { ResolvedFilter } from '../filter/resolved-filter.ts'
import type { ListPage } from '../resource-list.ts'
import { epochSeconds } from '../values.ts'
import { createRowsByAge } from './sorted-rows.ts'
import { listPage, type Listing } from './list-page.ts'

const ids = Array.from({ length: 1000 }, (_, index) => `row-${index + 1000}`)

test('listPage reads only the rows of the page if there is no filter', () => {
  for (const page of [
    { kind: 'index', offset: 500, limit: 2 },
    { kind: 'cursor', after: '0.row-1499', limit: 2 },
  ] as const satisfies readonly ListPage[]) {
    const { listing, rowsRead } = aListing()

    const outcome = listPage(listing, { filter: undefined, sort: undefined, page })

    expect(outcome).toEqual({ outcome: 'listed', total: 1000, records: ['row-1500', 'row-1501'], next: '0.row-1501' })
    expect(rowsRead()).toEqual(['row-1500', 'row-1501'])
  }
})

test('listPage reads only the matching rows if a filter requires an indexed value', () => {
  const { listing, rowsRead } = aListing()
  const filter: ResolvedFilter = { kind: 'and', operands: [equals('name', 'row-1700'), equals('other', 'x')] }

  const outcome = listPage(listing, { filter, sort: undefined, page: { kind: 'index', offset: 0, limit: 10 } })

  expect(outcome).toMatchObject({ total: 1, records: ['row-1700'] })
  expect(new Set(rowsRead())).toEqual(new Set(['row-1700']))
})

/** Rows that can be looked up by `name`, and the identifiers of the rows that were read. */
function aListing(): { readonly listing: Listing<string, string>; readonly rowsRead: () => readonly string[] } {
  const byAge = createRowsByAge()
  for (const id of ids) byAge.add({ id, createdAt: epochSeconds(0) })
  const read: string[] = []
  const row: Listing<string, string>['row'] = (id) => {
    read.push(id)
    return { id, createdAt: epochSeconds(0), record: () => id, comparable: () => ({ name: id, other: 'x' }) }
  }
  return {
    listing: { byAge, lookups: new Map([['name', { rows: 1, find: (text) => [text] }]]), row },
    rowsRead: () => read,
  }
}

const equals = (name: string, value: string): ResolvedFilter => ({
  kind: 'text',
  attribute: { extension: undefined, name, subName: undefined, multiValued: false },
  operator: 'eq',
  value,
})
