// What functions of authors seldom use of the web, and what costs each context a quarter of a millisecond: it is loaded
// when one of its names is read first. It is bundled by scripts/bundle-libraries.ts.
import 'core-js/actual/atob.js'
import 'core-js/actual/btoa.js'
import 'core-js/actual/structured-clone.js'
import 'core-js/actual/url/index.js'
import 'core-js/actual/url-search-params/index.js'
