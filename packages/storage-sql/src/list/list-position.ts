import type { ListPage, ListPosition } from '@mintmark/storage-interface'

/** Where a page begins: behind a row in the order of age, and then so many rows later. */
export interface PageStart {
  readonly createdAt: number
  readonly id: string
  readonly offset: number
}

/**
 * A list by age goes on behind its last row, `createdAt.id`, wherever that row is by then; a sorted one at a number.
 * A position that was not made here leads to the beginning.
 */
export function pageStart(page: ListPage): PageStart {
  if (page.kind === 'index') return { ...beforeAll, offset: page.offset }
  const [, createdAt, dot, id] = /^(\d{1,15})(\.?)(.*)$/s.exec(page.after ?? '') ?? []
  if (createdAt === undefined || id === undefined) return { ...beforeAll, offset: 0 }
  return dot === '.' ? { createdAt: Number(createdAt), id, offset: 0 } : { ...beforeAll, offset: Number(createdAt) }
}

/** Behind a row, in a list by age. */
export const positionBehind = (row: { readonly createdAt: number; readonly id: string }): ListPosition =>
  `${row.createdAt}.${row.id}`

/** Nothing is as old. */
const beforeAll = { createdAt: Number.MIN_SAFE_INTEGER, id: '' }
