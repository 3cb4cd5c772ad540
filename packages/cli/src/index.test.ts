import * as cli from '@mintmark/cli'
import { expect, test } from 'vitest'

test('the public names are these, and no others by surprise', () => {
  expect(Object.keys(cli)).toEqual(['run'])
})
