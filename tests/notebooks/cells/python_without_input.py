# %% input() says that there is nothing to read, and where it was called
def ask():
    return input("Name? ")
ask()

# %% sys.stdin is empty
import sys
sys.stdin.read(), list(sys.stdin)

# %% a command finds no input either
!cat; echo "status $?"

# %% getpass asks like input()
import getpass
getpass.getpass()
