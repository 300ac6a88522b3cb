# Raises the error of each case of cases.json and another one; the handlers of e0, e1 … answer as expected, and hide the text.
import importlib, json, logging, sys
logging.disable(logging.CRITICAL)
sys.path.insert(0, '.')
for at, cases in enumerate(json.load(open('cases.json'))):
    m = importlib.import_module(f'e{at}')
    for c in cases:
        try:
            raise getattr(m, c['name'])('secret') from KeyError('why')
        except Exception as error:
            r = m.handle_error(error)
        body = {name: c[name] for name in ('code', 'message', 'retryable')}
        assert r == (c['status'], {'error': body}), c
    foreign = m.handle_error(KeyError('secret'))
    assert foreign.status == 500 and 'secret' not in json.dumps(foreign.body)
