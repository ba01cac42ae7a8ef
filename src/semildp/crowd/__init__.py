"""Many simulated people who take part over HTTP: each with a device, and made-up values or those of a file."""

from semildp.crowd.people import Person, made_up, people_of_table, usual_share
from semildp.crowd.visiting import Crowd, Outcome

__all__ = ["Crowd", "Outcome", "Person", "made_up", "people_of_table", "usual_share"]
