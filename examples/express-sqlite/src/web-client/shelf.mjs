// Asks this app's own server for the shelf, which calls the API with the user's access token.
const lamp = document.getElementById('lamp')
const state = document.getElementById('state')
const detail = document.getElementById('detail')
let shownState

async function ask() {
  const shelf = await fetch('/web/shelf/books').then(
    (response) => response.json(),
    () => ({ state: 'refused', detail: 'The example does not run.' }),
  )
  detail.textContent = shelf.state === 'works' ? shelf.books.join(', ') : shelf.detail
  // A screen reader announces the change once, not every call.
  if (shelf.state !== shownState) {
    lamp.dataset.state = shelf.state
    state.textContent = shelf.state === 'works' ? `The API serves ${shelf.reader}` : 'Access refused'
  }
  shownState = shelf.state
  setTimeout(() => void ask(), 250)
}

await ask()
