import { expect, test } from 'vitest'

import * as cli from './index.ts'

test('the public names are these, and no others by surprise', () => {
  expect(Object.keys(cli)).toEqual(['run'])
})
