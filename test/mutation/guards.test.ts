import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

import { findChange, findGuard, findGuards } from './guards.ts'
import { digestTree } from './tree.ts'

const file = 'packages/core/src/a.ts'
const text = `
export function one(x: number) {
  if (x > 1) throw new Error()
}
const two = (x: number) => {
  if (x > 1) return
  ;[x].forEach((each) => {
    if (each === 0) throw new Error()
  })
}
const three = { four: (x: number) => { if (x > 3) throw new Error() } }
class Five { six(x: number) { if (x > 6) throw new Error() } }
`

function aTree(): string {
  const root = mkdtempSync(join(tmpdir(), 'mintmark-tree-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, 'packages/core/src'), { recursive: true })
  writeFileSync(join(root, file), text)
  return root
}

test('finds a guard by its file and condition', () => {
  const guards = findGuards(aTree())

  expect(findGuard(guards, { file, condition: 'x > 3' })).toMatchObject({ line: 11, within: 'four' })
  expect(findGuard(guards, { file, condition: 'x > 6' })).toMatchObject({ within: 'six' })
  expect(findGuard(guards, { file, condition: 'each === 0' })).toMatchObject({ within: 'two' })
})

test('requires the name of the function for a condition that the file contains twice', () => {
  const guards = findGuards(aTree())

  expect(findGuard(guards, { file, condition: 'x > 1', within: 'two' }).line).toBe(6)
  expect(() => findGuard(guards, { file, condition: 'x > 1' })).toThrow('`within` has to name one (one, two)')
})

test('throws an error for a guard that does not exist', () => {
  const guards = findGuards(aTree())

  expect(() => findGuard(guards, { file, condition: 'x > 2' })).toThrow('not in the tree')
  expect(() => findGuard(guards, { file, condition: 'x > 3', within: 'two' })).toThrow('not in the tree')
})

test('finds a change by its guard and its name', () => {
  const guards = findGuards(aTree())
  const name = { file, condition: 'x > 3' }

  expect(findChange(guards, { ...name, change: 'x >= 3' })).toMatchObject({
    guard: { within: 'four' },
    change: { text: '>=' },
  })
  expect(() => findChange(guards, { ...name, change: 'x < 3' })).toThrow('no change of its guard')
})

test('an edit of a source or a test changes the digest of a tree', () => {
  const root = aTree()
  const before = digestTree(root)
  expect(digestTree(root)).toBe(before)

  writeFileSync(join(root, file), `${text} `)
  const edited = digestTree(root)
  mkdirSync(join(root, 'test'))
  writeFileSync(join(root, 'test/a.test.ts'), '')

  expect(new Set([before, edited, digestTree(root)]).size).toBe(3)
})
