import { readFileSync } from 'node:fs'

import { createHealth } from '@mintmark/core'
import { expect, it } from 'vitest'

const manifest = readFileSync('docs/examples/deploy/kubernetes.yaml', 'utf8')

it('the probes of the Kubernetes example request the paths that createHealth serves', () => {
  const health = createHealth({ server: { origin: 'https://login.example', ready: () => Promise.resolve() } })
  const probes = Array.from(manifest.matchAll(/(\w+)Probe: \{ httpGet: \{ path: ([^,]+)/g), ([, kind, path = '']) => [
    kind,
    path,
    health.serves(path),
  ])

  expect(probes).toEqual([
    ['liveness', '/health', true],
    ['readiness', '/ready', true],
  ])
})
