import { expect, test } from 'vitest'

import { isPackageName, packageNameOf } from './arguments.ts'

test.each([
  ['my-server', 'my-server'],
  ['My Server', 'my-server'],
  ['Zoë’s server!', 'zoe-s-server'],
  ['.hidden_', 'hidden_'],
  ['日本', 'my-server'],
  ['', 'my-server'],
])('for the folder %j, the package name is %j', (folder, name) => {
  expect(packageNameOf(folder)).toBe(name)
})

test.each(['a', '@acme/id', 'x.y_z~1'])('accepts the package name %j', (name) => {
  expect(isPackageName(name)).toBe(true)
})

test.each(['', 'A', '.a', '_a', 'a b', '@acme', '@acme/', 'a/b', '../a', 'a'.repeat(215)])(
  'rejects the package name %j',
  (name) => {
    expect(isPackageName(name)).toBe(false)
  },
)
