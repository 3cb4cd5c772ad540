import { ClientMetadataError, registerClient } from '@mintmark/core'
import { createMemoryDatabase, createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it } from 'vitest'

import { dumpDatabase } from '../support/dump-database.ts'

const issuer = 'https://as.test'

const register = async (
  redirectUris: readonly string[],
): Promise<{ error: unknown; before: string; after: string }> => {
  const database = createMemoryDatabase()
  const storage = createMemoryStorage({ issuer, database })
  const before = dumpDatabase(database, issuer)
  const error: unknown = await registerClient({ clientName: 'App', redirectUris }, { storage }).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return { error, before, after: dumpDatabase(database, issuer) }
}

describe('the registration of a redirect URI (RFC 7591 §3.2.2)', () => {
  it.each([
    ['RFC 9700 §4.1.3', 'https://app.test/cb?code=evil&state=evil&iss=evil'],
    ['RFC 9700 §4.1.3', 'https://app.test/cb?code=x'],
    ['RFC 9700 §4.1.3', 'https://app.test/cb?state=x'],
    ['RFC 9700 §4.1.3', 'https://app.test/cb?iss=x'],
    ['RFC 9700 §4.1.3', 'https://app.test/cb?error=x'],
    ['RFC 9700 §4.1.3', 'https://app.test/cb?a=b&code'],
    ['RFC 9700 §4.1.3', 'https://app.test/cb?%63ode=x'],
    ['RFC 9700 §4.1.3', 'https://app.test/cb?error_description=x'],
    ['RFC 9700 §4.1.3', 'https://app.test/cb?error_uri=x'],
    ['RFC 9700 §4.1.3', 'https://app.test/cb?id_token=x'],
    ['RFC 9700 §4.1.3', 'https://app.test/cb?access_token=x'],
    ['RFC 9700 §4.1.3', 'https://app.test/cb?response=x'],
    ['RFC 9700 §4.1.3', 'https://app.test/cb?Code=x'],
    ['RFC 9700 §4.1.3', 'https://app.test/cb?%20code=x'],
    ['RFC 9700 §4.1.3', 'https://app.test/cb?+code=x'],
    ['RFC 9700 §4.1.3', 'https://app.test/cb?code[]=x'],
    ['RFC 9700 §4.1.3', 'https://app.test/cb?code%5B0%5D=x'],
    ['RFC 9700 §4.1.3', 'https://app.test/cb?a=b;code=x'],
    ['RFC 9700 §4.1.3', 'com.example.app:/cb?state=x'],
    ['RFC 9700 §4.1.3', 'https://app.test/cb#'],
    ['RFC 9700 §4.1.3', 'https://app.test/cb#x'],
    ['RFC 9700 §4.1.3', 'https://app.test/cb%23'],
    ['RFC 9700 §4.1.3', 'com.example.app:/cb#x'],
    ['RFC 9700 §4.1.3', 'http://127.0.0.1/cb#'],
    ['RFC 9700 §4.1.3', 'https://evil.test\\@app.test/cb'],
    ['RFC 9700 §4.1.3', 'https:\\\\app.test\\cb'],
    ['RFC 9700 §4.1.3', 'https:///app.test/cb'],
    ['RFC 9700 §4.1.3', '//app.test/cb'],
    ['RFC 9700 §4.1.3', '/cb'],
    ['RFC 9700 §4.1.3', 'cb'],
    ['RFC 9700 §4.1.3', ''],
    ['RFC 9700 §4.1.3', 'javascript:alert(1)'],
    ['RFC 9700 §4.1.3', 'JaVaScRiPt:alert(1)'],
    ['RFC 9700 §4.1.3', 'java\tscript:alert(1)'],
    ['RFC 9700 §4.1.3', ' javascript:alert(1)'],
    ['RFC 9700 §4.1.3', '\u0001javascript:alert(1)'],
    ['RFC 9700 §4.1.3', 'javascript://app.test/%0aalert(1)'],
    ['RFC 9700 §4.1.3', 'data:text/html,x'],
    ['RFC 9700 §4.1.3', 'DATA:text/html;base64,eA=='],
    ['RFC 9700 §4.1.3', 'vbscript:x'],
    ['RFC 9700 §4.1.3', 'blob:https://app.test/x'],
    ['RFC 9700 §4.1.3', 'file:///etc/passwd'],
    ['RFC 9700 §4.1.3', 'about:blank'],
    ['RFC 9700 §4.1.3', 'view-source:https://app.test/cb'],
    ['RFC 9700 §4.1.3', 'filesystem:https://app.test/x'],
    ['RFC 9700 §4.1.3', 'mailto:a@app.test'],
    ['RFC 9700 §4.1.3', 'intent://app.test/cb'],
    ['RFC 9700 §4.1.3', 'ws://app.test/cb'],
    ['RFC 9700 §4.1.3', 'ftp://app.test/cb'],
    ['RFC 8252 §7.1', 'myapp:/cb'],
    ['RFC 8252 §7.1', '.app:/cb'],
    ['RFC 9700 §4.1.3', '*'],
    ['RFC 9700 §4.1.3', 'https://*.app.test/cb'],
    ['RFC 9700 §4.1.3', 'https://app.test/*'],
    ['RFC 9700 §4.1.3', 'https://*'],
    ['RFC 9700 §4.1.3', 'http://127.0.0.1:*/cb'],
    ['RFC 9700 §4.1.3', 'https://%2A.app.test/cb'],
    ['RFC 9700 §2.6', 'http://app.test/cb'],
    ['RFC 9700 §2.6', 'http://127.0.0.1.evil.test/cb'],
    ['RFC 9700 §2.6', 'http://192.168.0.1/cb'],
    ['RFC 9700 §2.6', 'http://0.0.0.0/cb'],
    ['RFC 9700 §2.6', 'http://localhost.evil.test/cb'],
    ['RFC 3986 §3.2.1', 'https://user@app.test/cb'],
    ['RFC 3986 §3.2.1', 'https://user:secret@app.test/cb'],
    ['RFC 3986 §3.2.1', 'https://:secret@app.test/cb'],
    ['RFC 3986 §3.2.1', 'https://@app.test/cb'],
    ['RFC 3986 §6.2.2', 'HTTPS://app.test/cb'],
    ['RFC 3986 §6.2.2', 'https://APP.test/cb'],
    ['RFC 3986 §6.2.2', 'https://app.test:443/cb'],
    ['RFC 3986 §6.2.2', 'https://app.test/x/../cb'],
    ['RFC 3986 §6.2.2', 'https://app.test/%2e%2e/cb'],
    ['RFC 3986 §6.2.2', 'http://127.1/cb'],
    ['RFC 3986 §6.2.2', 'http://2130706433/cb'],
    ['RFC 3986 §6.2.2', 'http://[0:0:0:0:0:0:0:1]/cb'],
    ['RFC 9700 §4.1.3', 'https://\u0430pp.test/cb'],
    ['RFC 9700 §4.1.3', 'https://app.test/\u00e9'],
    ['RFC 9700 §4.1.3', 'https://app.test/cb\0'],
    ['RFC 9700 §4.1.3', 'https://app.test/cb%00'],
    ['RFC 9700 §4.1.3', 'https://app.test/%5cevil.test'],
    ['RFC 6749 §3.1.2', 'https://app.test/cb%0d%0aLocation:x'],
    ['RFC 6749 §3.1.2', 'https://app.test/c b'],
    ['RFC 6749 §3.1.2', 'https://app.test/cb?'],
    ['RFC 6749 §3.1.2', 'https://app.test/cb?a=b&'],
    ['RFC 6749 §3.1.2', 'https://app.test/cb?=b'],
    ['RFC 6749 §3.1.2', 'https://app.test/cb?a=%zz'],
    ['RFC 6749 §3.1.2', 'https://app.test/cb?%ff=b'],
    ['RFC 6749 §3.1.2', 'https://app.test/cb?a=%ff'],
    ['RFC 6749 §3.1.2', 'https://app.test/cb%'],
    ['RFC 6749 §3.1.2', 'http://127.0.0.1/cb?'],
    ['RFC 3986 §3.2.2', 'https://app.test./cb'],
    ['RFC 3986 §3.2.2', 'https://app..test/cb'],
    ['RFC 3986 §3.2.2', 'https://.app.test/cb'],
    ['RFC 3986 §3.2.2', 'https://127.0.0.1./cb'],
    ['RFC 6749 §3.1.2', 'https://app.test/cb\n'],
    ['RFC 6749 §3.1.2', 'https://app.test/"><script>'],
    ['RFC 6749 §3.1.2', `https://app.test/${'a'.repeat(2000)}`],
  ])('rejects an unsafe URI: %s %j', async (_, uri) => {
    const { error, before, after } = await register(['https://app.test/good', uri])

    expect(error).toBeInstanceOf(ClientMetadataError)
    expect(error).toMatchObject({ code: 'invalid_redirect_uri' })
    expect(after).toBe(before)
  })

  it('rejects a client of the code grant without a redirect URI (RFC 7591 §2)', async () => {
    const { error } = await register([])

    expect(error).toMatchObject({ code: 'invalid_redirect_uri' })
  })

  it.each([
    'https://app.test/cb',
    'https://app.test',
    'https://app.test/cb?tenant=1',
    'https://app.test/cb?tenant=a%20b&statement&return_to=https://app.test/x?y=z',
    'https://app.test:8443/cb',
    'https://xn--pp-6kc.test/cb',
    'http://127.0.0.1/cb',
    'http://127.0.0.1:8080/cb',
    'http://[::1]/cb',
    'http://localhost:3000/cb',
    'com.example.app:/cb',
    'com.example.app://cb',
  ])('registers %s', async (uri) => {
    const { error } = await register([uri])

    expect(error).toBeUndefined()
  })
})
