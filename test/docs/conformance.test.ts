import { readFileSync } from 'node:fs'

import { expect, it } from 'vitest'

import { conformancePage, missingProofs } from '../../scripts/conformance-page.ts'
import { notTested, rfc, verdictOf, type Standard } from '../conformance/standards/standard.ts'
import { standards } from '../conformance/standards/standards.ts'
import { testTitles } from '../../scripts/test-titles.ts'

const titles = testTitles()

it('every test that a requirement names exists', () => {
  expect(missingProofs(standards, titles)).toEqual([])
})

it('docs/conformance.md matches the tests (update with `pnpm generate conformance`)', () => {
  expect(readFileSync('docs/conformance.md', 'utf8')).toBe(conformancePage(standards, titles))
})

it('finds a named test that does not exist, and counts a requirement without a test as not tested', () => {
  const standard: Standard = {
    name: 'RFC 0',
    title: 'An example',
    address: rfc(0),
    requirements: [
      ['1', 'a test', 'no test has this title'],
      ['2', 'nothing'],
      ['3', 'a reason', notTested('not written yet')],
    ],
  }

  expect(
    missingProofs(
      [standard],
      titles.filter(({ file }) => file !== 'test/docs/conformance.test.ts'),
    ),
  ).toEqual(['RFC 0 §1: no test has this title'])
  expect(standard.requirements.map((requirement) => verdictOf(requirement))).toEqual([
    'proven',
    'not tested',
    'not tested',
  ])
})
