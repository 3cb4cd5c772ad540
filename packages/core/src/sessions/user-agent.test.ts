import { expect, it } from 'vitest'

import { summarizeUserAgent } from './user-agent.ts'

it.each([
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:133.0) Gecko/20100101 Firefox/133.0', 'Firefox on Windows'],
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0 Safari/537.36',
    'Chrome on Linux',
  ],
  ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/131.0 Safari/537.36 Edg/131.0', 'Edge on Windows'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1',
    'Safari on iPhone',
  ],
  ['Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/131.0 Mobile Safari/537.36', 'Chrome on Android'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/18.0 Safari/605.1.15', 'Safari on macOS'],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) Gecko/20100101', 'Windows'],
  ['curl/8.5.0', undefined],
  ['<script>Firefox/', 'Firefox'],
  ['', undefined],
  [undefined, undefined],
])('summarizes the header %j as %s', (header, summary) => {
  expect(summarizeUserAgent(header)).toBe(summary)
})

it('examines only the beginning of a long header', () => {
  expect(summarizeUserAgent(`${'x'.repeat(100_000)}Firefox/1`)).toBeUndefined()
})
