import express from 'express'

const urls = {
  issuer: process.env['ISSUER_URL'] ?? 'http://localhost:3000',
  api: process.env['API_URL'] ?? 'http://localhost:4100',
}

// Serves the files of the page. In your project, the bundler does this.
const app = express()
app.get('/urls.js', (_request, response) => {
  response.type('js').send(`window.urls = ${JSON.stringify(urls)}`)
})
app.use(express.static('node_modules/oidc-client-ts/dist/browser'))
app.get('/', (_request, response) => {
  response.sendFile('index.html', { root: '.' })
})
app.listen(new URL(process.env['SPA_URL'] ?? 'http://localhost:4200').port)
