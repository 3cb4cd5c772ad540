import { build } from 'esbuild'
import { expect, test } from 'vitest'

test('a bundle contains only the catalogues that its host imports', async () => {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { createPages } from './src/index.ts'
import { changeMessages, german } from './src/languages/index.ts'
export const pages = createPages({ languages: [changeMessages(german, {})] })`,
      resolveDir: new URL('..', import.meta.url).pathname,
    },
    bundle: true,
    format: 'esm',
    treeShaking: true,
    charset: 'utf8',
    conditions: ['@mintmark/source'],
    packages: 'bundle',
    platform: 'node',
    write: false,
  })
  const bundle = outputFiles[0]?.text ?? ''

  expect(bundle).toContain('Abmelden')
  expect(bundle).not.toMatch(/déconnecter|Cerrar|Esci|Recusar|Afmelden|サインアウト|تسجيل|כניסה/)
})
