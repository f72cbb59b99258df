"""What a result leads to. Everything here runs under the season's lock; each of these knows those
before it, and none that comes after:

- `ratings`: what becomes of a match's rating when its season rules on it
- `conclusion`: a season that ends by its order
- `decisions`: a death match is decided, and `follow` does what its format says is to be done
- `attempts`: a leg that is void, and the attempt in its place
- `settlement`: results as they come in, when a match has ended
- `running`: a match that is being played, ended because its season rules on it
- `rulings`: who has won what was not played, or not to its end
- `corrections`: results taken back
"""
