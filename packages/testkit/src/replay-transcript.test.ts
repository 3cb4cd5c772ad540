import { expect, test } from 'vitest'
import { replayTranscript } from './replay-transcript.ts'
import type { Expectation, Transcript } from './transcripts/transcript.ts'

const oneStep = (expected: Expectation): Transcript => ({
  name: 'One step',
  headers: {},
  steps: [{ id: 'X-1', title: 'Read', request: { method: 'GET', path: '/Users/1' }, expect: expected }],
})

/** Replays one step against a server that always sends this response. */
async function problemsWith(expected: Expectation, status: number, body?: unknown): Promise<readonly string[]> {
  const fetch = () => Promise.resolve(new Response(body === undefined ? null : JSON.stringify(body), { status }))
  const { passed, steps } = await replayTranscript(oneStep(expected), {
    baseUrl: 'https://scim.test/base/',
    authorization: 'Bearer x',
    fetch,
  })
  const problems = steps.flatMap((step) => step.problems)
  expect(passed).toBe(problems.length === 0)
  return problems
}

test.each<readonly [Expectation, number, unknown, readonly string[]]>([
  [{ status: [200] }, 200, {}, []],
  [{ status: [200, 204] }, 204, undefined, []],
  [{ status: [200] }, 500, {}, ['status 500, expected 200']],
  [{ status: [200] }, 400, { detail: 'No filter.' }, ['status 400, expected 200: No filter.']],
  [{ status: [200], body: { a: 1 } }, 200, { a: 1, b: 2 }, []],
  [{ status: [200], body: { a: 1 } }, 200, { a: '1' }, ['a is "1", expected 1']],
  [{ status: [200], body: { a: { b: true } } }, 200, { a: [] }, ['a should be an object']],
  [{ status: [200], body: { a: [] } }, 200, {}, []],
  [{ status: [200], body: { a: [{ b: 1 }, { b: 2 }] } }, 200, { a: [{ b: 2, c: 3 }, { b: 1 }] }, []],
  [{ status: [200], body: { a: [{ b: 1 }] } }, 200, { a: [{ b: 2 }] }, ['a should contain {"b":1}']],
  [{ status: [200], body: { a: [{ b: 1 }] } }, 200, { a: [{ b: 1 }, { b: 1 }] }, ['a has 2 values, expected 1']],
  [{ status: [200], absent: ['a.b'] }, 200, { a: { b: null } }, []],
  [{ status: [200], absent: ['a.b'] }, 200, { a: { b: [] } }, []],
  [
    { status: [200], absent: ["'urn:x:2.0'.b"] },
    200,
    { 'urn:x:2.0': { b: 1 } },
    ["'urn:x:2.0'.b should have no value"],
  ],
  [{ status: [200], text: ['id'] }, 200, { id: '' }, ['id should be a non-empty string']],
  [{ status: [200], never: ['secret'] }, 200, { a: ['a secret'] }, ['the response contains secret']],
  [{ status: [200], body: { a: 1 } }, 200, 'html', ['the response should be an object']],
])('with the expectation %j, the response %i %j has the problems %j', async (expected, status, body, problems) => {
  expect(await problemsWith(expected, status, body)).toEqual(problems)
})

test('fills in a saved value in later steps, and leaves a placeholder whose value was not saved unchanged', async () => {
  const sent: string[] = []
  const transcript: Transcript = {
    name: 'Two steps',
    headers: { 'X-Client': 'y' },
    steps: [
      {
        id: 'X-1',
        title: 'Create',
        request: { method: 'POST', path: '/Users', body: { n: '{{random}}' } },
        expect: { status: [201] },
        save: { user: 'list.0.id', lost: 'nothing' },
      },
      {
        id: 'X-2',
        title: 'Read',
        request: { method: 'GET', path: '/Users?filter=id eq "{{user}}" and a eq "+#{{lost}}"' },
        expect: { status: [201], body: { who: '{{user}}' } },
      },
    ],
  }

  const { steps } = await replayTranscript(transcript, {
    baseUrl: 'https://scim.test/base/',
    authorization: 'Bearer x',
    fetch: (url, init) => {
      sent.push(`${init.method} ${url} ${JSON.stringify(init.headers)}`)
      return Promise.resolve(Response.json({ list: [{ id: 'u1' }], who: 'u1' }, { status: 201 }))
    },
  })

  expect(steps.map(({ problems }) => problems)).toEqual([[], []])
  expect(sent[1]).toBe(
    'GET https://scim.test/base/Users?filter=id%20eq%20%22u1%22%20and%20a%20eq%20%22%2B%23%7B%7Blost%7D%7D%22 {"X-Client":"y","Authorization":"Bearer x"}',
  )
})
