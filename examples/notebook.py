# %% Cells share their state, as in a notebook: cove run --template python --context --out figures examples/notebook.py
import pandas as pd

visits = pd.DataFrame({"day": pd.date_range("2026-01-01", periods=90), "visits": [100 + 3 * i % 37 + i for i in range(90)]})

# %% The value of a cell's last line is shown; tables also become HTML and JSON.
monthly = visits.groupby(visits.day.dt.month_name(), sort=False).visits.sum()
monthly.to_frame()

# %% A figure becomes a file, and its points become data.
import matplotlib.pyplot as plt

plt.plot(visits.day, visits.visits)
plt.title("Visits per day")
plt.show()
