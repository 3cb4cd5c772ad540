import { expect, test } from 'vitest'

import * as publicNames from './index.ts'

test('the public names are these', () => {
  expect(Object.keys(publicNames)).toEqual(['AccessRefusal', 'createResourceServer', 'protectExpress', 'protectFetch'])
})
