import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { logEvents } from '@mintmark/core'

import { startFapiExample } from './example.ts'

const example = await startFapiExample({ port: Number(process.env['PORT'] ?? 3000), onEvent: logEvents(console) })
const authorityFile = join(mkdtempSync(join(tmpdir(), 'mintmark-')), 'authority.pem')
writeFileSync(authorityFile, example.authority.certificate)

console.log(`
  1. Open                    ${example.shop}
     The browser warns about the certificate, once for each port, because this example issues its own.
  2. Choose a client, sign in as  ann / example  and choose an account.
  3. The shop shows what it paid.

  Authorization server       ${example.issuer}
  with client certificates   ${example.alias}
  Payments API               ${example.payments}
  Certificate authority      ${authorityFile}

  curl --cacert ${authorityFile} ${example.issuer}/.well-known/openid-configuration
  NODE_EXTRA_CA_CERTS=${authorityFile} npx -y pnpm@12.21.0 mintmark doctor ${example.issuer} --profile fapi2

  Ctrl-C stops it. Events are printed below.
`)
