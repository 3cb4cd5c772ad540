import { describe, expect, test } from 'vitest'
import { aFormRequest } from '../test/a-request.ts'
import { readSignInForm } from './sign-in-form.ts'

describe('readSignInForm', () => {
  test('reads the name without the spaces around it, and the password as it is', () => {
    const request = aFormRequest({ body: 'username=+ada%40example.org+&password=+p%C3%A4ss%0D%0Aw%2Brd+' })

    expect(readSignInForm(request)).toEqual({ username: 'ada@example.org', password: ' päss\r\nw+rd ' })
  })

  test.each([
    ['no password', { body: 'username=ada' }],
    ['no name', { body: 'password=x' }],
    ['a blank name', { body: 'username=++&password=x' }],
    ['an empty password', { body: 'username=ada&password=' }],
    ['two names', { body: 'username=ada&username=bob&password=x' }],
    ['two passwords', { body: 'username=ada&password=x&password=x' }],
    ['a name that is too long', { body: `username=${'a'.repeat(257)}&password=x` }],
    ['a password that is too long', { body: `username=ada&password=${'a'.repeat(1025)}` }],
    ['a broken escape', { body: 'username=ada&password=%zz' }],
    ['another media type', { body: 'username=ada&password=x', contentType: 'multipart/form-data; boundary=x' }],
    ['a GET', { body: 'username=ada&password=x', method: 'GET' }],
  ])('refuses %s', (_, request) => {
    expect(readSignInForm(aFormRequest(request))).toBeUndefined()
  })

  test('accepts a name and a password of maximum length', () => {
    const [username, password] = ['a'.repeat(256), 'b'.repeat(1024)]

    expect(readSignInForm(aFormRequest({ body: `username=${username}&password=${password}` }))).toEqual({
      username,
      password,
    })
  })
})
