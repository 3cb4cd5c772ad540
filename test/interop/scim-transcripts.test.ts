import { replayTranscript, transcripts } from '@mintmark/testkit'
import { expect, it, onTestFinished } from 'vitest'

import { startScimSite } from '../support/scim-site.ts'

it.each([
  ['entra', transcripts.entra],
  ['okta', transcripts.okta],
] as const)('every response satisfies the scripted %s', async (toleranceProfile, transcript) => {
  const site = await startScimSite({ toleranceProfile })
  onTestFinished(site.close)

  const replayed = await replayTranscript(transcript, {
    baseUrl: site.baseUrl,
    authorization: `Bearer ${site.secrets.T1}`,
  })

  expect(replayed.steps.filter(({ problems }) => problems.length > 0)).toEqual([])
  expect(replayed.steps.length).toBeGreaterThan(30)
})
